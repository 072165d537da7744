// Whether the emulated GPU knows the device that it is asked for.
#pragma once

#include <string>

#include "environment.h"

namespace zetl::command {

/// Why the driver has no device under this profile, with those that there are; empty if it has one. Tried in a child
/// process.
std::string refusalOf(const Installation& installation, const std::string& profile);

/// Where the program gets the emulated GPU, by choice or by this environment: throws UsageError with those words if the
/// choice, or ZETL_EMULATED_DEVICE where the choice is silent, names a device that it does not have.
void requireDevice(const Installation& installation, const Choice& choice);

}  // namespace zetl::command
