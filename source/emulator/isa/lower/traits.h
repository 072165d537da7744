// What code does somewhere that makes other lines be lowered otherwise.
#pragma once

#include "emulator/isa/code.h"

namespace zetl::emulator::isa {

/// Of decoded code.
Traits findTraits(const Program::Code& code);

}  // namespace zetl::emulator::isa
