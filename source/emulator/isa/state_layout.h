// Where each register lies in Thread::state. An operand is a byte offset into it.
#pragma once

#include <cstdint>

#include "isa/xe/architecture.h"

namespace zetl::emulator::isa::layout {

using zetl::isa::xe::kRegisterBytes;                 // the layout holds the registers of every architecture
inline constexpr std::uint32_t kGrfRegisters = 512;  // of Xe3P; the others have at most half of them
inline constexpr std::uint32_t kGrf = 0;
inline constexpr std::uint32_t kGrfBytes =
    kGrfRegisters * kRegisterBytes;                              // a power of two: indirect addresses wrap in it
inline constexpr std::uint32_t kAccumulator = kGrf + kGrfBytes;  // acc0 to acc7, and room for a two-register lane set
inline constexpr std::uint32_t kAccumulatorBytes = 16 * kRegisterBytes;
inline constexpr std::uint32_t kWideAccumulator =
    kAccumulator + kAccumulatorBytes;  // 64-bit shadow of integer accumulator lanes
inline constexpr std::uint32_t kWideAccumulatorBytes = kAccumulatorBytes * 2;
inline constexpr std::uint32_t kMme = kWideAccumulator + kWideAccumulatorBytes;
inline constexpr std::uint32_t kMmeBytes = 8 * kRegisterBytes;
inline constexpr std::uint32_t kAddress = kMme + kMmeBytes;  // a0, sixteen words; thirty-two on Xe3P
inline constexpr std::uint32_t kFlags = kAddress + 64;       // f0 to f3
inline constexpr std::uint32_t kFlagRegisters = 4;
inline constexpr std::uint8_t kSpareFlag = 2 * kFlagRegisters;  // lowering's own, behind them, as a mask names it
inline constexpr std::uint32_t kStatus = kFlags + 64;           // sr0, sr1
inline constexpr std::uint32_t kMessage = kStatus + 32;         // msg0, which tells a thread's place as sr0 does
inline constexpr std::uint32_t kControl = kStatus + 64;         // cr0
inline constexpr std::uint32_t kExecutionMask = kControl + 64;  // ce0, refreshed when read
inline constexpr std::uint32_t kStackPointer = kExecutionMask + 64;
inline constexpr std::uint32_t kTimestamp = kStackPointer + 64;  // tm0, refreshed when read
inline constexpr std::uint32_t kIp = kTimestamp + 64;            // ip, refreshed when read
inline constexpr std::uint32_t kDebug = kIp + 64;
inline constexpr std::uint32_t kNotification = kDebug + 64;   // n0, refreshed when read
inline constexpr std::uint32_t kScalar = kNotification + 64;  // s0
inline constexpr std::uint32_t kZero = kScalar + 64;          // everything that reads as zero
inline constexpr std::uint32_t kArchitectureEnd = kZero + 64;

// Working space of the steps. A lane buffer holds 32 lanes of 8 bytes.
inline constexpr std::uint32_t kLaneBytes = 256;
inline constexpr std::uint32_t kNull = kArchitectureEnd;     // where results for null go
inline constexpr std::uint32_t kLanes = kNull + kLaneBytes;  // three fetched sources
inline constexpr std::uint32_t kResult = kLanes + 3 * kLaneBytes;
inline constexpr std::uint32_t kExtra = kResult + kLaneBytes;    // a second result: carry, borrow
inline constexpr std::uint32_t kOverflow = kExtra + kLaneBytes;  // condition ov: a dword a lane
inline constexpr std::uint32_t kRaw = kOverflow + kLaneBytes;    // gathered bytes, latched payloads
inline constexpr std::uint32_t kRawBytes = 2048;
inline constexpr std::uint32_t kGathered = kRaw + kRawBytes;  // the payload of a message whose registers s0 names
inline constexpr std::uint32_t kGatheredBytes = 32 * kRegisterBytes;
inline constexpr std::uint32_t kSlack =
    512;  // steps work on whole chunks of sixteen lanes and read past short operands
inline constexpr std::uint32_t kBytes = kGathered + kGatheredBytes + kSlack;

}  // namespace zetl::emulator::isa::layout
