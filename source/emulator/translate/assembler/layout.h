// Places in the frame of a function, registers for temporary values of one instruction, constants behind the code.
#pragma once

#include <asmjit/x86.h>

#include <cstddef>
#include <cstdint>

namespace zetl::emulator::translate::avx2 {

inline constexpr std::int32_t kSlotBytes = 64;
inline constexpr std::int32_t kSlots = 0;  ///< by number of a zmm
inline constexpr std::int32_t kMasks = kSlots + 32 * kSlotBytes;
inline constexpr std::int32_t kGeneral = kMasks + 8 * 8;
inline constexpr std::int32_t kScalar = kGeneral + 16 * 8;  ///< rax, while an instruction needs one
inline constexpr std::int32_t kArguments = kScalar + 8;     ///< function, to, x, y, extra
inline constexpr std::int32_t kCallersStack = kArguments + 5 * 8;
inline constexpr std::int32_t kSpare = (kCallersStack + 8 + 63) / 64 * 64;  ///< vectors that a call takes and returns
inline constexpr std::int32_t kFrameBytes = kSpare + 4 * kSlotBytes;

// Free between two instructions; all other registers hold the values used last.
inline const asmjit::x86::Ymm kA = asmjit::x86::ymm7;
inline const asmjit::x86::Ymm kB = asmjit::x86::ymm14;
inline const asmjit::x86::Ymm kC = asmjit::x86::ymm15;
constexpr bool isScratch(std::uint32_t number) noexcept { return number == 7 || number >= 14; }

// Registers with values within one step: vectors below the first number, masks from the second on. Within a message,
// the third mask has its lanes that are on.
inline constexpr std::uint32_t kTemporaries = 6;
inline constexpr std::uint32_t kFirstTemporaryMask = 3;
inline constexpr std::uint32_t kLanesOfMessage = 5;

/// Numbers of the constants, each of 32 bytes.
enum Constant : std::size_t {
    kDwordBits,  ///< each dword lane's own bit, and behind them those of the next lanes
    kQwordBits = kDwordBits + 4,
    kWordBits = kQwordBits + 8,
    kByteBits,
    kDwordSigns,  ///< the distance of each lane's bit from its sign, in the same order
    kQwordSigns = kDwordSigns + 4,
    kByteOfMask = kQwordSigns + 8,  ///< for vpshufb: the byte of the mask that holds a byte's bit
    kOnes,
    kSigns64,
    kLowWords,  ///< of dwords
    kLowBytes,  ///< of dwords
    kCounts32,  ///< the bits of a count that rotates dwords
    kCounts64,
    kInterlaced,  ///< for vpermd: restores the order after two packings
    kWidths,      ///< eight bytes each: the bits of masks for 8, 16, 32 and 64 lanes
    kLines,       ///< bytes of a line of the host's cache, as dwords
    kConstants
};

/// The instruction that blends lanes of so many bytes by their signs.
inline asmjit::InstId blendIn(std::uint32_t laneBytes) noexcept {
    using namespace asmjit::x86;
    return laneBytes == 4 ? Inst::kIdVblendvps : laneBytes == 8 ? Inst::kIdVblendvpd : Inst::kIdVpblendvb;
}
/// The instruction that compares lanes of so many bytes.
inline asmjit::InstId equalIn(std::uint32_t laneBytes) noexcept {
    using namespace asmjit::x86;
    return laneBytes == 1   ? Inst::kIdVpcmpeqb
           : laneBytes == 2 ? Inst::kIdVpcmpeqw
           : laneBytes == 4 ? Inst::kIdVpcmpeqd
                            : Inst::kIdVpcmpeqq;
}

}  // namespace zetl::emulator::translate::avx2
