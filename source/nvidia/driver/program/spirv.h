// Translates SPIR-V to PTX with LLVM's tools, in a process of their own (compiler/process.h).
#pragma once

#include <string>

#include "nvidia/driver/program/image.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::nvidia {

/// Translates the description's module with its constants. Appends the tools' messages to `log`. MODULE_BUILD_FAILURE;
/// DEPENDENCY_UNAVAILABLE without the tools.
Result<Bytes> translateSpirv(const ze_module_desc_t& description, std::string& log);

}  // namespace zetl::nvidia
