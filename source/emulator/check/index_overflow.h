// Finds where signed arithmetic makes an index that 32 bits do not hold. Compilers extend signed indices to 64 bits
// with their sign, and unsigned ones without: the sum or product in front of such an extension was computed with signed
// numbers, whose overflow is not defined.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/program.h"
#include "emulator/isa/thread.h"

namespace zetl::emulator::check {

/// The lines that compute what is extended so in the same block, and products that these lines add up.
std::vector<bool> indexArithmeticOf(const isa::Program& program);

/// Lanes of these whose exact result the line's destination does not hold. Call it from beforeLine(), of such a line.
std::uint32_t lanesThatOverflow(const isa::Thread& thread, const isa::Instruction& in, std::uint32_t lanes) noexcept;

}  // namespace zetl::emulator::check
