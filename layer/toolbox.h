// The layer's tools modules, on the device access that drivers offer, or that is made of the core API.
#pragma once

#include "tools/toolbox.h"

namespace zetl::layer {

/// Null until a driver is there, and for ever if each has metrics and offers no device access that is not served
/// already. Made at the first call that finds drivers.
tools::Toolbox* toolbox();

/// Whether a driver offers device access to its modules: of the core API's facts metrics alone are made.
bool onDeviceAccess() noexcept;

/// The same as toolbox(), but never makes it.
tools::Toolbox* madeToolbox() noexcept;

}  // namespace zetl::layer
