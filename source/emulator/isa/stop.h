// Leaving resume(): the ways in which a thread stops.
#pragma once

#include "emulator/isa/step.h"

namespace zetl::emulator::isa {

inline constexpr uint32_t kSuppressBreakpoint = 1u << 15;  // cr0.0
inline constexpr uint32_t kBreakpointStatus = 1u << 31;    // cr0.1
inline constexpr uint32_t kIllegalStatus = 1u << 28;
inline constexpr uint32_t kPageFaultStatus = 1u << 16;
inline constexpr uint32_t kControl1 = layout::kControl + 4, kControl2 = layout::kControl + 8;

/// Counts what was executed up to `next` and stops before it. Returns null.
const Step* stopAt(Thread& t, const Step* next, Status status) noexcept;
/// Stops before a line's first step as a breakpoint does.
const Step* stopAtBreakpoint(Thread& t, const Step* next) noexcept;

}  // namespace zetl::emulator::isa
