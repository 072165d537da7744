// The tools functions below the layer, also those that the loader's tables do not hold.
#pragma once

#include "ddi/route.h"

namespace zetl::layer {

/// The function that takes the caller's handles as they are, or null if there is none:
///  - what the loader's table held, while the layer stands in a slot or before the loader in the global scope;
///  - else the loader's export of that name;
///  - else, under a loader older than the function, the driver's. With two drivers or forced intercept there is none:
///    such a loader wraps handles, and the driver would read through the wrappers.
ddi::Address nativeFunction(ddi::Function function) noexcept;

/// True once a loader has found its drivers, be it through the layer or past it.
bool initialized() noexcept;

}  // namespace zetl::layer
