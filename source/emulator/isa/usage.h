// The name of an instruction in reports, and how faithfully it is emulated.
#pragma once

#include "emulator/isa/program.h"

namespace zetl::emulator::isa {

/// Opcode, math function or message form of the line, with count 1. Padding has an empty name.
Usage usageOf(const Program& program, Line line);

}  // namespace zetl::emulator::isa
