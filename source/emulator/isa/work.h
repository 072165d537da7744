// What an instruction costs of a thread's quantum beyond one: so much as it does the work of others. A turn is bounded
// by work, since whoever waits for its end waits for that.
#pragma once

#include <cstdint>

#include "emulator/isa/decode/instruction.h"

namespace zetl::emulator::isa {

/// As far as the instruction tells. Blocks of surfaces are charged when they run (steps/message_block2d.h).
std::uint32_t chargeFor(const Instruction& instruction) noexcept;

}  // namespace zetl::emulator::isa
