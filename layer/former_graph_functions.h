// The graph functions of Intel's driver before they were standard. Programs find them by name alone, so their calls
// would go past the layer.
#pragma once

#include <string_view>

#include "ddi/route.h"

namespace zetl::layer {

struct FormerGraphFunction {
    std::string_view name;
    const char* standard;   ///< the function that took its place
    ddi::Address byTables;  ///< does the same by calling the standard function as the loader's tables have it
};

/// Null if the name is none of a former graph function.
const FormerGraphFunction* formerGraphFunction(std::string_view name) noexcept;

}  // namespace zetl::layer
