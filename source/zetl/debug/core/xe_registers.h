// Register numbers and bits of zetDebugReadRegisters on Intel's GPUs.
#pragma once

#include <cstdint>

#include "core/stopped_thread.h"

namespace zetl::debugger::registers {

inline constexpr std::uint32_t kGeneral = 1;
inline constexpr std::uint32_t kFlag = 3;
inline constexpr std::uint32_t kChannelEnable = 4;
inline constexpr std::uint32_t kStatus = 5;
inline constexpr std::uint32_t kControl = 6;
inline constexpr std::uint32_t kStateBase = 11;
inline constexpr std::uint32_t kDebug = 12;
// registers of the state base, as dwords
inline constexpr unsigned kGeneralStateBase = 0;
inline constexpr unsigned kInstructionBase = 4;
inline constexpr unsigned kSurfaceBase = 5;
inline constexpr unsigned kScratchBase = 8;
inline constexpr unsigned kScratchBaseByDwarf = 6;              // its number in debug information
inline constexpr std::uint32_t kSuppressBreakpoint = 1u << 15;  // of cr0.0
// of cr0.1
inline constexpr std::uint32_t kBreakpointOrStep = 1u << 31;
inline constexpr std::uint32_t kHalted = (1u << 30) | (1u << 26);
inline constexpr std::uint32_t kSoftware = 1u << 29;
inline constexpr std::uint32_t kIllegal = 1u << 28;
inline constexpr std::uint32_t kFault = 1u << 16;

// Throw Failure if the thread is not stopped.
std::uint64_t stateBase(StoppedThread& thread, unsigned which);
std::uint32_t general32(StoppedThread& thread, unsigned number, unsigned word);

}  // namespace zetl::debugger::registers
