// Messages of the older data ports that the load/store cache has an equal of.
#pragma once

#include "emulator/isa/decode/instruction.h"

namespace zetl::emulator::isa {

/// The instruction with the message of ugm or slm that does the same; any other instruction as it is.
///
/// Data port 0: scattered bytes in local memory, its fence. Data port 1: untyped reads and writes of dwords, in local
/// memory or by 64-bit address; scattered elements and blocks by 64-bit address.
Instruction modernForm(const Instruction& in) noexcept;

}  // namespace zetl::emulator::isa
