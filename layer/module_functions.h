// The modules that stand in for a driver: metrics, debug and program instrumentation over its device access.
#pragma once

#include <level_zero/ze_api.h>

#include "ddi/route.h"

namespace zetl::layer {

/// A module's addresses for a tools function. Both have the function's type, or are null, and return kNotMine if they
/// do not apply.
struct ModuleFunction {
    ddi::Address ifOwned;   // for an object that the module made: asked before the driver, which does not know it
    ddi::Address ifServed;  // for a device whose driver offers device access: asked if the driver lacks the function
};
inline constexpr auto kNotMine = static_cast<ze_result_t>(0x7a001001);

const ModuleFunction& moduleFunction(ddi::Function function) noexcept;

}  // namespace zetl::layer
