// The ways in which a thread stops and leaves resume().
#pragma once

#include "emulator/isa/code.h"

namespace zetl::emulator::isa {

inline constexpr std::uint32_t kSuppressBreakpoint = 1u << 15;  // cr0.0
inline constexpr std::uint32_t kBreakpointStatus = 1u << 31;    // cr0.1
inline constexpr std::uint32_t kIllegalStatus = 1u << 28;
inline constexpr std::uint32_t kPageFaultStatus = 1u << 16;
inline constexpr std::uint32_t kControl1 = layout::kControl + 4;
inline constexpr std::uint32_t kControl2 = layout::kControl + 8;

/// Counts the straight-line run from `entered` up to `end` (exclusive); the thread goes on at `next`.
inline void account(Thread& t, Line end, Line next) noexcept {
    const std::int64_t charge = t.program->code().chargeOf(t.entered, end);
    t.charged += charge;
    t.fuel -= static_cast<std::int64_t>(end) - t.entered + charge;
    if (t.runs) {
        const auto add = [&](Line line, std::int64_t n, std::memory_order order) {
            const std::atomic_ref<std::int64_t> cell(t.runs[line]);
            cell.store(cell.load(std::memory_order_relaxed) + n, order);
        };
        // The end first: code that adds up meanwhile, from low lines to high ones, may miss this run but never sees too
        // much.
        add(end, -1, std::memory_order_relaxed);
        add(t.entered, 1, std::memory_order_release);
    }
    t.entered = next;
}

/// Counts the instructions executed up to `next` and stops before it. Returns null.
const Step* stopAt(Thread& t, const Step* next, Status status) noexcept;
/// Stops before a line's first step, like a breakpoint.
const Step* stopAtBreakpoint(Thread& t, const Step* next) noexcept;

}  // namespace zetl::emulator::isa
