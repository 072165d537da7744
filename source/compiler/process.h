// Compilers in processes of their own.
//
// In this process one would take the application along: damaged SPIR-V makes Intel's call exit() or abort(), or run for
// ever (docs/measured/compiler.md has figures). Their builds of LLVM stay away from the application's, too.
#pragma once

#include "compiler/command.h"

namespace zetl::compiler {

/// Runs a command by its program and waits for its end. Thread-safe; commands run beside each other. The application
/// sees no child: none that wait() could find, and no SIGCHLD. Whatever ends the compiler is an answer with code -1 and
/// a log that says so.
Answer run(const Command& command);

}  // namespace zetl::compiler
