// The charge of an instruction against its thread's quantum beyond one: it grows with the work that the instruction
// does. A turn is bounded by work, because interrupts and exports wait for its end.
#pragma once

#include <cstdint>

#include "emulator/isa/instruction_set.h"
#include "isa/xe/instruction.h"

namespace zetl::emulator::isa {

/// As far as the instruction tells. Blocks of surfaces are charged when they run (steps/message_block2d.h).
std::uint32_t chargeFor(const Instruction& instruction) noexcept;

}  // namespace zetl::emulator::isa
