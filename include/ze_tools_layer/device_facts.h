// Sums of spans (device_activity.h) per period of a clock: all that the core API reveals about a device's work. C++20,
// header only.
#ifndef ZE_TOOLS_LAYER_DEVICE_FACTS_H
#define ZE_TOOLS_LAYER_DEVICE_FACTS_H

#include <ze_tools_layer/device_activity.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace zetl::activity {

/// The name of the metric group, and of the counters, made of these facts alone.
inline constexpr const char* kFactsGroup = "CoreApiOnly";

enum Fact : std::size_t { kernelTime, copyTime, commands, kernels, bytesCopied, kFacts };

struct FactText {
    const char* name;
    const char* unit;
    const char* description;
};
inline constexpr std::array<FactText, kFacts> kFactTexts = {{
    {"KernelTime", "ns", "Time spent in kernels, summed over queues"},
    {"CopyTime", "ns", "Time spent in copies, summed over queues"},
    {"Commands", "commands", "Kernels, copies, fills and barriers that ended"},
    {"Kernels", "commands", "Kernels that ended"},
    {"BytesCopied", "bytes", "Bytes of copies that ended, if the call states a size"},
}};

using Facts = std::array<std::uint64_t, kFacts>;

/// Adds a span to the facts of its periods. Its time is divided among the periods that it covers; the command and its
/// bytes belong to the period in which it ended. Periods are half open. `origin` is the time on the span's clock at
/// which period 0 begins; the span must not begin earlier. `period` is in nanoseconds and must not be 0. `at(number)`
/// returns a reference to the facts of a period (a Facts, or anything indexed like one). It is called for each period
/// of a kernel or copy in ascending order, and then once for the period in which the span ended.
template <class At>
void addSpan(const Span& span, std::uint64_t origin, std::uint64_t period, At&& at) {
    const auto begin = span.begin - origin;
    const auto end = std::max(span.begin, span.end) - origin;
    const auto last = end / period;
    const bool isTimed = span.work == Work::kernel || span.work == Work::copy;
    for (auto number = begin / period; isTimed && number <= last; ++number) {
        const auto from = std::max(begin, number * period);
        const auto until = std::min(end, (number + 1) * period);
        at(number)[span.work == Work::kernel ? kernelTime : copyTime] += until - from;
    }
    auto& facts = at(last);
    facts[commands] += 1;
    if (span.work == Work::kernel) facts[kernels] += 1;
    if (span.work == Work::copy) facts[bytesCopied] += span.bytes;
}

}  // namespace zetl::activity

#endif
