// What zeDriverGetExtensionFunctionAddress hands out.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"

namespace zetl::emulator::driver {

/// The address of the function `name`, null if there is none. Every core function the driver serves can also be had by
/// its name, so that programs can reach those their loader does not know. Thread-safe.
void* extensionFunction(std::string_view name);

/// A function of Intel's driver that is in no specification.
struct NamedFunction {
    std::string_view name;
    void* entry;
};
std::span<const NamedFunction> kernelExtensions() noexcept;
std::span<const NamedFunction> memoryExtensions() noexcept;
std::span<const NamedFunction> memorySharingExtensions() noexcept;

/// Writes that address to `out`. INVALID_ARGUMENT, and null, if there is none.
Status giveExtensionFunction(const char* name, void*& out);

/// Adds a function under a name that lives as long as the process; replaces one of the same name. The door for the
/// device-access interface. Thread-safe.
void offerExtensionFunction(std::string_view name, void* address);

}  // namespace zetl::emulator::driver
