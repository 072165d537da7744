// A summary of a recording: one line per function, and one per kernel.
#pragma once

#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "recording/functions.h"
#include "recording/reader.h"
#include "text/json.h"
#include "text/table.h"
#include "text/terminal.h"
#include "timeline/rank_totals.h"

namespace zetl::command {

/// The totals of one function over all processes and threads. Times in nanoseconds, over the calls that returned.
struct FunctionTotals {
    std::uint64_t calls = 0;
    std::uint64_t unfinished = 0;
    std::uint64_t errors = 0;
    std::uint64_t total = 0;
    std::uint64_t shortest = UINT64_MAX;
    std::uint64_t longest = 0;

    void add(const Record& record, const Function& function);
    /// A range, which cannot fail.
    void add(const Record& record);
    void add(const Overflow& overflow);
    void merge(const FunctionTotals& other);
    bool anyReturned() const { return calls > unfinished; }
    std::uint64_t average() const { return anyReturned() ? total / (calls - unfinished) : 0; }
};

/// The totals of work on devices: one kernel, or all copies, fills or barriers.
struct WorkTotals {
    std::uint64_t launches = 0;
    std::uint64_t total = 0;
    std::uint64_t shortest = UINT64_MAX;
    std::uint64_t longest = 0;
    std::uint64_t bytes = 0;
    std::uint64_t queued = 0;  ///< between submission and begin
    RecordedSpan longestSpan{};
    bool varies = false;  ///< launches differ in what forEachLaunchFact() shows, but for the times

    void add(const Record& record, const RecordedSpan& span);
    void merge(const WorkTotals& other);
    std::uint64_t average() const { return launches ? total / launches : 0; }
    std::uint64_t averageQueued() const { return launches ? queued / launches : 0; }
};

/// Over all kernels, copies, fills and barriers.
struct WorkSums {
    std::uint64_t rows = 0;  ///< of the table
    std::uint64_t launches = 0;
    std::uint64_t total = 0;
};

struct ReducedRank;  // reduced_rank.h

class Summary {
  public:
    Summary() : functions_(kFunctions) {}
    explicit Summary(std::span<const RecordingFile> recordings);

    void add(const RecordingFile& recording);
    void add(const ReducedRank& rank);
    /// The totals, without rank and names, of a summary of one rank's recordings.
    ReducedRank reduced() const;

    /// Two tables, sorted by total time, that fit the terminal. The first ends with a line of sums and, if necessary,
    /// notes. The second, about devices, follows it, and is empty if devices did nothing; it names kernels as their
    /// source does, unless `mangled`. Ranges that the program marked follow. Ranks, if there are any, have tables of
    /// their own behind these.
    std::string table(const Terminal& terminal, bool mangled) const;
    /// One row per function, and one per kernel and rank; times in nanoseconds.
    Table asTable() const;
    std::string json() const;
    /// The same as an object, whose tables of kernels and ranges have at most so many rows, those with the most time.
    Json tables(std::size_t most) const;
    WorkSums workSums() const;
    std::uint64_t calls() const;
    /// True if there are neither calls, nor ranges, nor work of devices.
    bool empty() const { return calls() == 0 && work_.empty() && ranges_.empty(); }
    /// Ranks that were added as totals only.
    std::size_t reducedRanks() const { return reducedRanks_; }

    /// True if a call that initialises Level Zero succeeded.
    bool initialised() const;

    /// Names of the kernels that the processes made, launched or not.
    const std::set<std::string, std::less<>>& kernelNames() const { return kernelNames_; }

  private:
    struct Row {
        std::string_view name;
        const FunctionTotals* totals;
    };
    struct WorkRow {
        std::string_view name;
        const WorkTotals* totals;
        double share;  ///< of the total time
    };
    void addRecords(const RecordingFile& recording);
    std::vector<Row> rows() const;
    std::vector<WorkRow> workRows() const;
    std::vector<Row> rangeRows() const;
    std::string functionTable(const Terminal& terminal) const;
    std::string rangeTable(const Terminal& terminal) const;
    std::string workTable(const Terminal& terminal, bool mangled) const;

    std::vector<FunctionTotals> functions_;
    FunctionTotals otherCalls_;  // of functions that a reduced rank does not name, or that this version does not know
    std::map<std::string, WorkTotals, std::less<>> work_;
    std::map<std::string, FunctionTotals, std::less<>> ranges_;
    std::set<std::string, std::less<>> kernelNames_;
    RankSummary ranks_;
    std::size_t processes_ = 0;
    std::size_t threads_ = 0;
    std::array<std::uint64_t, kShortages> beyond_{};  // calls that are only counted, by the reason
    std::uint64_t spansBeyond_ = 0;
    std::uint64_t unmeasured_ = 0;
    std::size_t reducedRanks_ = 0;
};

/// A duration with a unit so that it has three or four digits: "713 ns", "12.4 us", "1.83 s".
std::string durationText(std::uint64_t nanoseconds);

}  // namespace zetl::command
