#include "metrics/calculation/time_windows.h"

#include <algorithm>

namespace zetl::metrics {

TimeWindows::TimeWindows(std::vector<TimeWindow> windows, std::uint64_t section)
    : windows_(std::move(windows)), section_(section) {
    if (windows_.empty()) windows_.emplace_back();
}

RowKey TimeWindows::keyAt(std::uint64_t time, bool& within) const {
    const auto after = std::ranges::upper_bound(windows_, time, {}, &TimeWindow::start);
    const auto next = static_cast<std::uint64_t>(after - windows_.begin());
    within = next > 0 && time - windows_[next - 1].start < windows_[next - 1].size;
    return within ? RowKey(next - 1, (time - windows_[next - 1].start) / section_) : RowKey(next, 0);
}

Sections TimeWindows::sectionsOf(std::span<const std::uint64_t> times) const {
    Sections sections;
    auto& all = sections.all;
    for (std::size_t report = 0; report < times.size(); ++report) {
        bool within = false;
        sections.open = keyAt(times[report], within);
        if (!within || report + 1 == times.size()) continue;
        const bool goesOn = !all.empty() && all.back().last == report && all.back().key == sections.open;
        if (!goesOn) all.push_back({sections.open, report, report});
        all.back().last = report + 1;
    }
    return sections;
}

}  // namespace zetl::metrics
