// Checks that the emulated GPU knows a device profile.
#pragma once

#include <string>

#include "run/environment.h"

namespace zetl::command {

/// Why the driver has no device with this profile, and which profiles it has; empty if it has one. Runs in a child
/// process.
std::string refusalOf(const Installation& installation, const std::string& profile);

/// If the program gets the emulated GPU, by the choice or by the environment: throws UsageError with that text if the
/// choice, or otherwise ZETL_EMULATED_DEVICE, names an unknown profile.
void requireDevice(const Installation& installation, const Choice& choice);

}  // namespace zetl::command
