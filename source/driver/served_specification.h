// The specification that a driver of the tree serves and reports: the one whose dispatch tables it fills.
#pragma once

#include <level_zero/ze_api.h>

#include "ddi/table_size.h"

namespace zetl::driver {

inline constexpr auto kServedSpecification = static_cast<ze_api_version_t>(ZE_MAKE_VERSION(1, ddi::kNewestMinor));

}  // namespace zetl::driver
