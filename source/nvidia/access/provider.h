// The driver for NVIDIA GPUs as a provider of device access (include/ze_tools_layer/device_access.h).
#pragma once

#include <ze_tools_layer/device_access.h>

namespace zetl::nvidia::access {

/// The tables; the same for the life of the process. Their functions are noexcept and may be called once the driver is
/// initialised; until then there are no devices.
const zetl_device_access_t& provider() noexcept;

/// Offers the tables under ZETL_DEVICE_ACCESS_FUNCTION. Call it once, before zeInit.
void offer();

}  // namespace zetl::nvidia::access
