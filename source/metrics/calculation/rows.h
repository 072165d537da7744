// A block of rows during calculation: one value per row for each node of a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "metrics/calculation/descriptor.h"
#include "metrics/calculation/equation.h"
#include "metrics/calculation/unrolled.h"

namespace zetl::metrics {

/// The inputs of a program: the fields of the descriptor in their order, then these.
enum class Interval : std::uint8_t { begin, end, ticks, count_ };
inline constexpr std::size_t kIntervalInputs = static_cast<std::size_t>(Interval::count_);

/// Small enough that all that a program needs for a block stays in the caches next to the core.
inline constexpr std::size_t kBlockRows = 192;
static_assert(kBlockRows % (4 * kRowsAtOnce) == 0);

class Rows {
  public:
    /// For `rows` rows in total, full blocks first.
    Rows(const Descriptor& descriptor, const Program& program, std::size_t rows);

    /// Computes all values of the `count` rows that begin with this report; 1 to kBlockRows.
    void compute(const std::byte* firstReport, std::size_t count);

    const std::uint64_t* wholes(std::uint32_t node) const noexcept { return &wholes_[places_[node]]; }
    const float* reals(std::uint32_t node) const noexcept { return &reals_[places_[node]]; }

    // For the operators.
    std::size_t count() const noexcept { return count_; }
    std::uint64_t* wholes(std::uint32_t node) noexcept { return &wholes_[places_[node]]; }
    float* reals(std::uint32_t node) noexcept { return &reals_[places_[node]]; }
    const Nanoseconds& nanoseconds() const noexcept { return nanoseconds_; }
    void readInput(std::uint32_t input, std::uint64_t* values);

  private:
    void read(const Field& field, std::uint64_t* values);
    void readTimes();
    void fillConstants();

    const Descriptor& descriptor_;
    const Program& program_;
    const Nanoseconds nanoseconds_;
    std::vector<std::size_t> places_;  ///< of each node, in wholes_ or in reals_
    std::unique_ptr<std::uint64_t[]> wholes_;
    std::unique_ptr<float[]> reals_;
    std::uint64_t begins_[kBlockRows] = {};
    std::uint64_t ends_[kBlockRows] = {};
    std::uint64_t states_[kBlockRows + 1 + kPair * kRowsAtOnce] = {};  ///< of one counter, one report more than rows
    const std::byte* report_ = nullptr;                                ///< the report that ends the first row
    std::size_t count_ = 0;
};

}  // namespace zetl::metrics
