// The host's floating-point mode while a thread runs: rounding and denormals as set in cr0.0.
//
// MXCSR has one switch for denormals, cr0 one for f and one for df. Where a program sets them differently, lowering
// brackets the steps that compute in f64; elsewhere the host flushes only if both switches ask for it.
#pragma once

#include "emulator/isa/thread.h"

namespace zetl::emulator::isa {

struct Traits;

inline constexpr std::uint32_t kRoundingShift = 4;  // cr0.0 [5:4]
inline constexpr std::uint32_t kKeepDoubleDenormals = 1 << 6;
inline constexpr std::uint32_t kKeepSingleDenormals = 1 << 7;
inline constexpr std::uint32_t kKeepHalfDenormals = 1 << 10;
inline constexpr std::uint32_t kRoundIntegers = 1 << 12;  // from reals, as [5:4] says; otherwise they are truncated

/// The bits that setFloatMode() uses: two threads with the same ones compute in the same mode.
std::uint32_t floatControlOf(const Thread& thread) noexcept;
/// Those of them that are bits of cr0.0; the others are the program's traits.
std::uint32_t floatControlBits(const Traits& traits) noexcept;
inline constexpr std::uint32_t kSplitDenormals = 1u << 31;

/// Bits of the host's register: results are flushed and denormals taken for zero, exceptions are masked and none is
/// pending; and where the rounding bits are: 1 is down and 2 is up, which are 2 and 1 in cr0.
inline constexpr std::uint32_t kHostFlushes = 0x8040;
inline constexpr std::uint32_t kHostExceptions = 0x1f80;
inline constexpr std::uint32_t kHostRoundsDown = 0x2000;
inline constexpr std::uint32_t kHostRoundsUp = 0x4000;

/// Whether threads that enter at `ip` write cr0.0 before anything depends on the mode, so that they may begin in any.
bool setsFloatModeFirst(const Program& program, std::uint32_t ip) noexcept;

/// Sets rounding, and denormals for f32 lanes.
void setFloatMode(const Thread& thread) noexcept;
/// Sets rounding, and denormals for f64 lanes.
void setDoubleMode(const Thread& thread) noexcept;

/// Restores the caller's mode, and knows the mode while threads run in turn, since setting it takes the host tens of
/// cycles.
class FloatModeGuard {
  public:
    FloatModeGuard() noexcept;
    ~FloatModeGuard();
    FloatModeGuard(const FloatModeGuard&) = delete;
    FloatModeGuard& operator=(const FloatModeGuard&) = delete;

    /// Threads with this as their hostMode are resumed without saving the mode, and set it only where it differs.
    HostFloatMode* current() noexcept { return &current_; }

  private:
    std::uint32_t saved_;
    HostFloatMode current_;
};

}  // namespace zetl::emulator::isa
