// libocloc's C interface, loaded at run time.
#pragma once

#include "emulator/compiler/command.h"

namespace zetl::emulator::compiler {

/// Loads the library that the command names and runs the command in this process, which may not survive it: damaged
/// SPIR-V makes the compiler call exit() or abort(), or run for ever.
Answer runHere(const Command& command);

}  // namespace zetl::emulator::compiler
