// The native binaries of the modules that a program makes.
#pragma once

#include <string>
#include <vector>

#include "binary_view.h"
#include "environment.h"

namespace zetl::command {

/// Runs the program, its standard output on standard error, and shows each module that it made, in order, by
/// `show`: with view.json as one array, where null stands for a module that cannot be read. Returns the program's exit
/// code; where that is 0, 1 if no module was made, one could not be read, or none has view.kernel.
int showProgram(const Installation& installation, const Choice& choice, const std::vector<std::string>& program,
                BinaryView view, Show show);

}  // namespace zetl::command
