// Which chip a device is.
#pragma once

#include <string>

#include "nvidia/driver/device/device.h"

namespace zetl::nvidia::access {

/// CUPTI's name if metrics are switched on and it is there; otherwise the largest chip of that compute capability,
/// which nothing but names is made of: opening CUPTI takes 0.1 s, which programs without metrics do not pay.
std::string chipNameOf(const Device& device);

#ifdef ZETL_NVIDIA_COUNTERS
/// CUPTI's name; empty, with a line in the log, if it does not tell.
std::string chipByCupti(const Device& device);
#endif

}  // namespace zetl::nvidia::access
