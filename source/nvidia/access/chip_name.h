// The chip of a device.
#pragma once

#include <string>

#include "nvidia/driver/device/device.h"

namespace zetl::nvidia::access {

/// CUPTI's name if metrics are switched on and CUPTI is available; otherwise the largest chip of that compute
/// capability, which is used for names only: opening CUPTI takes 0.1 s, which programs without metrics should not pay.
std::string chipNameOf(const Device& device);

#ifdef ZETL_NVIDIA_COUNTERS
/// CUPTI's name. Empty, with a line in the log, if CUPTI does not know it.
std::string chipByCupti(const Device& device);
#endif

}  // namespace zetl::nvidia::access
