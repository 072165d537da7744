// SPIR-V as PTX, by LLVM's tools in a process of their own (compiler/process.h).
#pragma once

#include <string>

#include "nvidia/driver/program/image.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::nvidia {

/// The module that the description holds, with its constants. Appends what the tools say to `log`.
/// MODULE_BUILD_FAILURE, DEPENDENCY_UNAVAILABLE without the tools.
Result<Bytes> translateSpirv(const ze_module_desc_t& description, std::string& log);

}  // namespace zetl::nvidia
