// The size of the numbers that a message loads or stores, as the instructions around it use them.
#pragma once

#include <cstdint>

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/program.h"

namespace zetl::emulator::check {

/// Bytes of the message's elements, if the block computes with what it loads, or has computed what it stores, as
/// numbers of that size; their addresses have to be multiples of it. 0 if that is not known: compilers load several
/// smaller numbers as one element, which then need less. Members of packed structures cannot be told apart.
std::uint32_t elementSizeOf(const isa::Program& program, isa::Line line);

}  // namespace zetl::emulator::check
