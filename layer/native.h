// The tools functions below the layer, including those that the loader's tables lack.
#pragma once

#include "ddi/route.h"

namespace zetl::layer {

/// The function that takes the caller's handles unchanged, or null if there is none:
///  - the former content of the loader's table, while the layer is in a slot or before the loader in the global scope;
///  - else the loader's export of that name;
///  - else, under a loader older than the function, the driver's. With two drivers or forced intercept there is none:
///    such a loader wraps handles, and the driver would read through the wrappers.
ddi::Address nativeFunction(ddi::Function function) noexcept;

/// True once a loader has found its drivers, through the layer or past it.
bool initialized() noexcept;

}  // namespace zetl::layer
