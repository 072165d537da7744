// Which reports of a stream belong together when values are calculated for spans of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace zetl::metrics {

/// A span of time, in nanoseconds since the first report.
struct TimeWindow {
    std::uint64_t start = 0;
    std::uint64_t size = UINT64_MAX;
};

/// Orders rows of calculated values: the window and the section of it, or what else tells rows apart.
using RowKey = std::pair<std::uint64_t, std::uint64_t>;

/// The reports between which one row of values is calculated.
struct Section {
    RowKey key;
    std::size_t first = 0;
    std::size_t last = 0;
};

struct Sections {
    std::vector<Section> all;
    RowKey open{};  ///< the first that later reports may change or add
};

/// Windows in ascending order that do not overlap, each cut into sections of one length. Immutable.
class TimeWindows {
  public:
    TimeWindows() = default;
    /// Without windows the whole of the data is one. `section`: nanoseconds, not 0.
    TimeWindows(std::vector<TimeWindow> windows, std::uint64_t section);

    /// The interval between two reports belongs to the section in which it begins. `times`: of the reports.
    Sections sectionsOf(std::span<const std::uint64_t> times) const;

  private:
    /// The section of that time; for a time between two windows the first of the next window, and `within` is false.
    RowKey keyAt(std::uint64_t time, bool& within) const;

    std::vector<TimeWindow> windows_{TimeWindow{}};
    std::uint64_t section_ = UINT64_MAX;
};

}  // namespace zetl::metrics
