// Encodes the most frequent instructions of AVX2 directly, for which asmjit takes several times as long.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace zetl::emulator::translate::avx2 {

inline constexpr std::uint32_t kMostVexBytes = 16;
using VexOperands = std::array<const asmjit::Operand_*, 4>;  ///< missing operands are none

/// Writes an instruction and returns its end, or null if asmjit has to encode it. If it refers to a label, `labelAt`
/// becomes the place of the four bytes with the value to add to the label's distance from that end. May change
/// kMostVexBytes bytes from `at` on.
std::uint8_t* encodeVex(asmjit::InstId id, const VexOperands& operands, std::uint8_t* at,
                        std::uint8_t*& labelAt) noexcept;
/// The number of known instructions, and their ids.
std::size_t vexCount() noexcept;
asmjit::InstId vexId(std::size_t number) noexcept;

}  // namespace zetl::emulator::translate::avx2
