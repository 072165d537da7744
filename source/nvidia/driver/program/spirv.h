// Translates SPIR-V to PTX with LLVM's tools, in a process of their own (compiler/process.h).
#pragma once

#include <string>

#include "driver/module_inputs.h"
#include "nvidia/driver/program/image.h"

namespace zetl::nvidia {

/// Translates the module with its constants. A part of a program, or a module whose flags have -library-compilation, is
/// to be linked: it may call functions that it does not define, and those that it exports are kept. Appends the tools'
/// messages to `log`. MODULE_BUILD_FAILURE; DEPENDENCY_UNAVAILABLE without the tools.
Result<Bytes> translateSpirv(const driver::ModuleInput& input, bool partOfProgram, std::string& log);

}  // namespace zetl::nvidia
