// Which lines leave more than 32 bits per lane in an accumulator for an instruction that reads them.
#pragma once

#include <vector>

#include "emulator/isa/code.h"

namespace zetl::emulator::isa {

/// By line. A line is not among them if no such instruction can be reached from it, or if all that it leaves is
/// overwritten before. Takes time in proportion to the code, whatever the code is.
std::vector<bool> findWideLines(const Program::Code& code);

}  // namespace zetl::emulator::isa
