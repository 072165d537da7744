// Places in the frame of a function, registers for what one instruction takes in between, constants behind the code.
#pragma once

#include <asmjit/x86.h>

#include <cstddef>
#include <cstdint>

namespace zetl::emulator::translate::avx2 {

inline constexpr std::int32_t kSlotBytes = 64;
// By number of a zmm; those of temporary ones are where their registers are saved.
inline constexpr std::int32_t kSlots = 0;
inline constexpr std::int32_t kMasks = kSlots + 32 * kSlotBytes;
inline constexpr std::int32_t kGeneral = kMasks + 8 * 8;
inline constexpr std::int32_t kScalar = kGeneral + 16 * 8;  ///< rax, while an instruction needs one
inline constexpr std::int32_t kArguments = kScalar + 8;     ///< function, to, x, y, extra
inline constexpr std::int32_t kCallersStack = kArguments + 5 * 8;
inline constexpr std::int32_t kSpare = (kCallersStack + 8 + 63) / 64 * 64;  ///< vectors that a call takes and gives
inline constexpr std::int32_t kFrameBytes = kSpare + 4 * kSlotBytes;

// Free between two instructions. Results of some lanes only: the value, the destination, the mask.
inline const asmjit::x86::Ymm kA = asmjit::x86::ymm7;
inline const asmjit::x86::Ymm kB = asmjit::x86::ymm14;
inline const asmjit::x86::Ymm kC = asmjit::x86::ymm15;

/// Which 32 bytes of the constants.
enum Constant : std::size_t {
    kDwordBits,  ///< the bit of each lane's own, of dwords, and behind them of the upper half
    kQwordBits = kDwordBits + 2,
    kWordBits = kQwordBits + 2,
    kByteBits,
    kByteOfMask,  ///< for vpshufb: the byte of the mask that has a byte's bit
    kOnes,
    kSigns32,
    kSigns64,
    kLowWords,  ///< of dwords
    kLowBytes,  ///< of dwords
    kWidths,    ///< eight bytes each: the bits of masks for 8, 16, 32 and 64 lanes
    kConstants
};

}  // namespace zetl::emulator::translate::avx2
