// What the ranks of a parallel program did, beside each other.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "recording/reader.h"
#include "text/json.h"
#include "text/table.h"
#include "text/terminal.h"

namespace zetl::command {

/// One rank, over its processes and threads. Times in nanoseconds.
struct RankTotals {
    std::string host;
    std::uint64_t processes = 0;
    std::uint64_t calls = 0;
    std::uint64_t errors = 0;
    std::uint64_t inLevelZero = 0;
    std::uint64_t commands = 0;  ///< of devices
    std::uint64_t onDevice = 0;
    std::map<std::string, std::uint64_t, std::less<>> kernels;  ///< time on devices
    bool isWhole = true;                                        ///< `kernels` has all of them

    void addCall(const Record& record, const Function& function);
    void addSpan(const Record& record, const std::string& name);
};

/// Values of all ranks, one each.
struct Spread {
    std::uint64_t least = 0;
    std::uint64_t mean = 0;
    std::uint64_t most = 0;
    std::int32_t leastRank = 0;
    std::int32_t mostRank = 0;

    /// By how much the slowest rank is above the mean; 0 if all are equal.
    double imbalance() const;
};

struct ReducedRank;  // reduced_rank.h

class RankSummary {
  public:
    /// The totals of the recording's rank; null if it belongs to none. It counts the process.
    RankTotals* of(const RecordingFile& recording);
    /// Calls that the recording of a rank, which of() was asked for, only counts.
    void addOverflow(std::int32_t rank, const Overflow& overflow);
    /// A rank of which only totals were kept.
    void add(const ReducedRank& rank);

    /// A row for each rank, or for the fastest and the slowest of many, and one for each kernel whose time differs
    /// most; of one rank, its name. Empty without ranks.
    std::string table(const Terminal& terminal, bool mangled) const;
    /// Rows of kinds rank-calls and rank-device, in the columns of Summary::asTable().
    void addTo(Table& table) const;
    /// Null without ranks. At most so many kernels, those that differ most.
    Json json(std::size_t mostKernels) const;

  private:
    using Value = std::uint64_t (*)(const RankTotals&);
    struct Measure {
        const char* name;
        Value value;
    };
    struct Kernel {
        std::string name;
        Spread spread;
    };
    /// What ranks are compared by: time on devices, or in calls if devices did nothing.
    Measure measure() const;
    Spread spreadOf(Value value) const;
    std::vector<Kernel> kernels() const;
    std::string rows(const Terminal& terminal) const;
    std::string sums() const;
    std::string kernelRows(const Terminal& terminal, bool mangled) const;
    std::string nameOf(std::int32_t rank) const;
    std::size_t hosts() const;

    std::map<std::int32_t, RankTotals> ranks_;
    std::uint32_t expected_ = 0;  ///< as the launcher said; 0: it did not
};

}  // namespace zetl::command
