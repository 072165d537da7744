// The raw data of tracers: records of one size, which may be cut anywhere and joined again.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zetl::metrics {

/// The events in a trace, named like the metrics that stand for them.
enum class TracedEvent : std::uint32_t {
    traceBegin,  ///< the tracer was enabled
    traceEnd,    ///< it was disabled; the value is the number of lost records
    kernelBegin,
    kernelEnd,
    copyBegin,
    copyEnd,
    barrierBegin,
    barrierEnd,
    softwareEvent,  ///< a command wrote a word, which is the value, to the event memory
    count_,
};

std::string_view nameOf(TracedEvent event) noexcept;
std::optional<TracedEvent> tracedEventFrom(std::string_view metric) noexcept;

struct TraceRecord {
    static constexpr std::uint32_t kMark = 0x5254'545a;
    std::uint32_t mark = kMark;
    std::uint32_t event = 0;  ///< TracedEvent
    std::uint32_t tile = 0;   ///< index among the sub-devices; 0 for a device without
    std::uint32_t tiled = 0;  ///< 1: the traced device has sub-devices
    std::uint64_t time = 0;   ///< ticks of the device clock
    std::uint64_t value = 0;
};
static_assert(sizeof(TraceRecord) == 32);

}  // namespace zetl::metrics
