#include "metrics/trace_record.h"

#include <algorithm>
#include <iterator>

namespace zetl::metrics {
namespace {

constexpr std::string_view kNames[] = {"TraceBegin", "TraceEnd",     "KernelBegin", "KernelEnd",    "CopyBegin",
                                       "CopyEnd",    "BarrierBegin", "BarrierEnd",  "SoftwareEvent"};
static_assert(std::size(kNames) == static_cast<std::size_t>(TracedEvent::count_));

}  // namespace

std::string_view nameOf(TracedEvent event) noexcept { return kNames[static_cast<std::size_t>(event)]; }

std::optional<TracedEvent> tracedEventFrom(std::string_view metric) noexcept {
    const auto* const found = std::ranges::find(kNames, metric);
    if (found == std::end(kNames)) return std::nullopt;
    return static_cast<TracedEvent>(found - std::begin(kNames));
}

}  // namespace zetl::metrics
