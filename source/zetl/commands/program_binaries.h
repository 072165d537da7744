// The native binaries of a program's modules.
#pragma once

#include <string>
#include <vector>

#include "commands/binary_view.h"
#include "run/environment.h"

namespace zetl::command {

/// Runs the program with its standard output on standard error, and shows each module that it created, in order, with
/// `show`. With view.json the output is one array, with null for a module that cannot be read. Returns the program's
/// exit code. If that is 0, returns 1 if no module was created, one could not be read, or none has view.kernel.
int showProgram(const Installation& installation, const Choice& choice, const std::vector<std::string>& program,
                BinaryView view, Show show);

}  // namespace zetl::command
