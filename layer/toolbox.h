// The layer's tools modules, on the device access that drivers offer or that is made from the core API.
#pragma once

#include "tools/toolbox.h"

namespace zetl::layer {

/// Null until there is a driver; always null if every driver has metrics and none offers device access without modules
/// of its own. Made at the first call that finds drivers.
tools::Toolbox* toolbox();

/// Whether a driver offers device access to the modules. From the core API's facts only metrics are made.
bool onDeviceAccess() noexcept;

/// The same as toolbox(), but never makes the modules.
tools::Toolbox* madeToolbox() noexcept;

}  // namespace zetl::layer
