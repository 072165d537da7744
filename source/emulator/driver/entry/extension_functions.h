// What zeDriverGetExtensionFunctionAddress hands out.
#pragma once

#include <string_view>

namespace zetl::emulator::driver {

/// The address of the function `name`, null if there is none. Every core function the driver serves can also be had by
/// its name, so that programs can reach those their loader does not know. Thread-safe.
void* extensionFunction(std::string_view name);

/// Adds a function under a name that lives as long as the process; replaces one of the same name. The door for the
/// device-access interface. Thread-safe.
void offerExtensionFunction(std::string_view name, void* address);

}  // namespace zetl::emulator::driver
