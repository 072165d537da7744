// What a module is built from (core specification, "Modules", and the extension "Module Program").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::driver {

/// One module of the program's, as given.
struct ModuleInput {
    std::span<const std::uint8_t> bytes;
    const char* flags = nullptr;                       ///< null: none
    const ze_module_constants_t* constants = nullptr;  ///< null: none
};

/// The module of a description, or those of a program that is chained to it; never none. INVALID_NULL_POINTER,
/// INVALID_SIZE, INVALID_ARGUMENT.
Result<std::vector<ModuleInput>> moduleInputs(const ze_module_desc_t& description);

}  // namespace zetl::driver
