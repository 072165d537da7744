// The little that a debugger must know of Xe instructions by itself.
#pragma once

#include <cstdint>
#include <cstring>

namespace zetl::debugger {

/// The first 16 bytes of an instruction, 8 of which a compacted one has.
struct Instruction {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    std::uint8_t opcode() const noexcept { return low & 0x7f; }
    bool compacted() const noexcept { return (low >> 29 & 1) != 0; }
    unsigned bytes() const noexcept { return compacted() ? 8 : 16; }
    bool isCall() const noexcept { return opcode() == 0x2b || opcode() == 0x2c; }
    bool isReturn() const noexcept { return opcode() == 0x2d; }
    bool isSend() const noexcept { return opcode() == 0x31 || opcode() == 0x32; }
    /// Whether it may take as long as other threads want: only a sync waits, for a barrier say.
    bool mayWait() const noexcept { return opcode() == 0x01; }
    bool endsThread() const noexcept { return isSend() && (low >> 34 & 1) != 0; }

    std::uint64_t breakpointBit() const noexcept { return std::uint64_t{1} << (compacted() ? 7 : 30); }
    bool hasBreakpoint() const noexcept { return (low & breakpointBit()) != 0; }
};

/// Register numbers and bits, as zetDebugReadRegisters has them for Xe-HPC.
namespace registers {
inline constexpr std::uint32_t kGeneral = 1;
inline constexpr std::uint32_t kFlag = 3;
inline constexpr std::uint32_t kChannelEnable = 4;
inline constexpr std::uint32_t kStatus = 5;
inline constexpr std::uint32_t kControl = 6;
inline constexpr std::uint32_t kStateBase = 11;
// registers of the state base, as dwords
inline constexpr unsigned kGeneralStateBase = 0;
inline constexpr unsigned kInstructionBase = 4;
inline constexpr unsigned kScratchBase = 8;
inline constexpr std::uint32_t kSuppressBreakpoint = 1u << 15;  // of cr0.0
// of cr0.1
inline constexpr std::uint32_t kBreakpointOrStep = 1u << 31;
inline constexpr std::uint32_t kHalted = (1u << 30) | (1u << 26);
inline constexpr std::uint32_t kSoftware = 1u << 29;
inline constexpr std::uint32_t kIllegal = 1u << 28;
inline constexpr std::uint32_t kFault = 1u << 16;
}  // namespace registers

}  // namespace zetl::debugger
