// The layer's tools modules, on the device access that drivers offer.
#pragma once

#include "tools/toolbox.h"

namespace zetl::layer {

/// Null until a driver is there, and for ever if none offers device access that is not served already. Made at the
/// first call that finds drivers.
tools::Toolbox* toolbox();

/// The same, but never makes it.
tools::Toolbox* madeToolbox() noexcept;

}  // namespace zetl::layer
