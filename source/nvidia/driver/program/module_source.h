// What a module is made of.
#pragma once

#include <string>
#include <vector>

#include "compiler/ptx_symbols.h"
#include "nvidia/driver/program/image.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::nvidia {

/// Machine code, or modules of PTX, which the driver's compiler links.
struct ModuleSource {
    Bytes machineCode;             ///< empty unless it was given
    std::vector<std::string> ptx;  ///< one, or those of a program
    BuildOptions options;
    std::string flags;             ///< as given; empty for machine code
    KernelTexts kernels;           ///< of the PTX
    compiler::PtxSymbols symbols;  ///< of the PTX; a program's imports are those that none of its modules defines

    /// Makes it a program of both.
    void add(const ModuleSource& other);
    /// Links it if it is PTX. The device's context is current.
    Result<Bytes> image(std::string& log) const;
    /// Whether modules that define its imports are all that it lacks.
    Status check(std::string& log) const;
};

/// Appends the compilers' messages to `log`. INVALID_NATIVE_BINARY, MODULE_BUILD_FAILURE, DEPENDENCY_UNAVAILABLE.
Result<ModuleSource> readSource(const ze_module_desc_t& description, std::string& log);

}  // namespace zetl::nvidia
