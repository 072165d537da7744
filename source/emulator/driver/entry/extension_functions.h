// The functions that zeDriverGetExtensionFunctionAddress returns.
#pragma once

#include <string_view>

#include "base/result.h"

namespace zetl::emulator::driver {

/// The address of the function `name`; null if there is none. Every core function of the driver is available by its
/// name, too, so that programs can reach functions that their loader does not know. Thread-safe.
void* extensionFunction(std::string_view name);

/// Writes that address to `out`. Returns INVALID_ARGUMENT and writes null if there is none.
Status giveExtensionFunction(const char* name, void*& out);

/// Adds a function under a name that must live as long as the process; replaces a function of the same name. The
/// device-access interface is offered this way. Thread-safe.
void offerExtensionFunction(std::string_view name, void* address);

}  // namespace zetl::emulator::driver
