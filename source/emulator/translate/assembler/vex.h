// Instructions of AVX2 as bytes: those that are assembled most, for which asmjit takes several times as long.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace zetl::emulator::translate::avx2 {

inline constexpr std::uint32_t kMostVexBytes = 16;
using VexOperands = std::array<const asmjit::Operand_*, 4>;  ///< those that are not there are none

/// Writes an instruction and answers where it ends; null: this one is asmjit's. `labelAt` becomes where four bytes hold
/// what is to be added to the label's distance from that end, if it refers to one. Of the bytes from `at` on
/// kMostVexBytes may be changed.
std::uint8_t* encodeVex(asmjit::InstId id, const VexOperands& operands, std::uint8_t* at,
                        std::uint8_t*& labelAt) noexcept;
/// The number of instructions that are known, and their ids.
std::size_t vexCount() noexcept;
asmjit::InstId vexId(std::size_t number) noexcept;

}  // namespace zetl::emulator::translate::avx2
