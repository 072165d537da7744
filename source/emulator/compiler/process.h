// Intel's compiler in a process of its own.
//
// In this process it would take the application along: damaged SPIR-V makes it call exit() or abort(), or run for ever
// (docs/emulator-modules.md has figures). Its build of LLVM stays away from the application's, too.
#pragma once

#include "emulator/compiler/command.h"

namespace zetl::emulator::compiler {

/// Runs a command by the program zetl_ocloc and waits for its end. Thread-safe; commands run beside each other. The
/// application sees no child: none that wait() could find, and no SIGCHLD. Whatever ends the compiler is an answer
/// with code -1 and a log that says so.
///
/// The program lies in ze-tools-layer/ beside the library that contains this function; ZETL_OCLOC names another place.
Answer run(const Command& command);

}  // namespace zetl::emulator::compiler
