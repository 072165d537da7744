// Runs compilers in processes of their own.
//
// In this process a compiler would take the application along: damaged SPIR-V makes Intel's compiler call exit() or
// abort(), or run for ever (docs/measured/compiler.md has figures). It also keeps the compilers' builds of LLVM away
// from the application's.
#pragma once

#include "compiler/command.h"

namespace zetl::compiler {

/// Runs a command with its program and waits for its end. Thread-safe; commands run beside each other. The application
/// sees no child: wait() finds none, and there is no SIGCHLD. If the compiler ends abnormally, the answer has code -1
/// and a log that says so.
Answer run(const Command& command);

}  // namespace zetl::compiler
