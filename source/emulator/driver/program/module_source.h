// Makes a native module from the arguments of zeModuleCreate.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "binary/module_image.h"
#include "binary/outcome.h"
#include "results/results.h"

namespace zetl::emulator::driver {

class Device;

/// A native module before it has addresses, and the messages of its build.
struct BuiltModule {
    Status status = ZE_RESULT_SUCCESS;
    binary::ModulePointer image;  ///< null unless status is SUCCESS
    std::string log;
    std::uint32_t profileFlags = 0;             ///< of -zet-profile-flags
    bool compiled = false;                      ///< from SPIR-V
    std::uint64_t source = results::kNoModule;  ///< of keepSource() (result_file.h)
};

/// Compiles SPIR-V or reads a native binary. MODULE_BUILD_FAILURE, INVALID_NATIVE_BINARY, DEPENDENCY_UNAVAILABLE (this
/// machine has no compiler; native binaries still work), INVALID_ARGUMENT, INVALID_SIZE, each with text in the log.
BuiltModule buildModule(Device& device, const ze_module_desc_t& description);

/// The code for an error, which is logged and kept as the last error.
Status codeOf(const binary::Error& error);

}  // namespace zetl::emulator::driver
