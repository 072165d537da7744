// The emulated driver as a provider of device access (include/ze_tools_layer/device_access.h).
#pragma once

#include <ze_tools_layer/device_access.h>

namespace zetl::emulator::access {

/// The tables; the same for the life of the process. Their functions are noexcept and may be called once the driver is
/// initialised; until then there are no devices.
const zetl_device_access_t& provider() noexcept;

/// Offers the tables under ZETL_DEVICE_ACCESS_FUNCTION, and starts to follow the driver's queues and modules. Call it
/// once, before the first of them is made.
void offer();

}  // namespace zetl::emulator::access
