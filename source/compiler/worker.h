// The work of a compiler's program, for program.cpp: each program has its own.
#pragma once

#include "compiler/command.h"

namespace zetl::compiler {

/// Runs the command in this process, which may not survive it: damaged SPIR-V makes compilers call exit() or abort(),
/// or run for ever.
Answer runHere(const Command& command);

}  // namespace zetl::compiler
