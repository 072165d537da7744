// What spans (device_activity.h) add up to in each period of a clock: all that the core API tells of a device's work.
// C++20; nothing to link.
#ifndef ZE_TOOLS_LAYER_DEVICE_FACTS_H
#define ZE_TOOLS_LAYER_DEVICE_FACTS_H

#include <ze_tools_layer/device_activity.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace zetl::activity {

/// The name of counters, and of a metric group, that know nothing else.
inline constexpr const char* kFactsGroup = "CoreApiOnly";

enum Fact : std::size_t { kernelTime, copyTime, commands, kernels, bytesCopied, kFacts };

struct FactText {
    const char* name;
    const char* unit;
    const char* description;
};
inline constexpr std::array<FactText, kFacts> kFactTexts = {{
    {"KernelTime", "ns", "Time that kernels took, summed over queues"},
    {"CopyTime", "ns", "Time that copies took, summed over queues"},
    {"Commands", "commands", "Kernels, copies, fills and barriers that ended"},
    {"Kernels", "commands", "Kernels that ended"},
    {"BytesCopied", "bytes", "Bytes of copies that ended, where the call says them"},
}};

using Facts = std::array<std::uint64_t, kFacts>;

/// Adds a span to the facts of periods. Time belongs to the periods that it lies in, the command and its bytes to the
/// one in which it ended; a period contains its first nanosecond and not the one behind its last. `origin`, before
/// which the span must not begin, is a time of the span's clock, and begins period 0. `period` is in nanoseconds; it
/// must not be 0. `at(number)` returns a reference to the facts of a period (Facts, or what is indexed as they are); it
/// is called for each period of a kernel or copy in ascending order, and then once for the one in which the span ended.
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
