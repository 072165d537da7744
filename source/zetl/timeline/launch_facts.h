// How a kernel was launched, as timelines and tables show it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "timeline/call_arguments.h"

namespace zetl::command {

enum class LaunchFact : std::uint8_t { grid, groupSize, registers, simdWidth, localBytes, queued };
inline constexpr std::size_t kLaunchFacts = 6;

/// Indexed by LaunchFact.
inline constexpr std::array<std::string_view, kLaunchFacts> kLaunchFactNames = {
    "grid", "group_size", "registers", "simd_width", "local_bytes", "queued_ns"};

/// Nanoseconds from the call that submitted the command to its begin; 0 if that is not known.
inline std::uint64_t queuedOf(const Record& record, const RecordedSpan& span) {
    const auto begin = record.begin.load(std::memory_order_relaxed);
    return span.submittedAt != 0 && begin > span.submittedAt ? begin - span.submittedAt : 0;
}

/// Calls `visit(ShownArgument, LaunchFact)` for each fact that is known. Other work than kernels has none.
template <class Visit>
void forEachLaunchFact(const Record& record, const RecordedSpan& span, const Visit& visit) {
    constexpr std::uint32_t kKernel = 0;  // activity::Work::kernel
    if (span.work != kKernel) return;
    const auto tell = [&](LaunchFact fact, ShownArgument::Form form, std::uint64_t number, std::string text) {
        visit({kLaunchFactNames[static_cast<std::size_t>(fact)], form, number, std::move(text)}, fact);
    };
    const auto tellSize = [&](LaunchFact fact, const std::uint32_t (&size)[3]) {
        if (size[0] != 0) tell(fact, ShownArgument::Form::text, 0, sizeText(size));
    };
    const auto tellNumber = [&](LaunchFact fact, std::uint64_t number) {
        tell(fact, ShownArgument::Form::number, number, {});
    };
    tellSize(LaunchFact::grid, span.groups);
    tellSize(LaunchFact::groupSize, span.groupSize);
    if (span.registers != 0) tellNumber(LaunchFact::registers, span.registers);
    if (span.simdWidth != 0) {
        tellNumber(LaunchFact::simdWidth, span.simdWidth);
        tellNumber(LaunchFact::localBytes, span.localBytes);
    }
    if (span.submittedAt != 0) tellNumber(LaunchFact::queued, queuedOf(record, span));
}

}  // namespace zetl::command
