// Devices whose drivers count nothing: their only metric group comes from what the core API reports about their work.
#pragma once

#include <span>

#include "ddi/route.h"
#include "device/access.h"
#include "toolbox.h"

namespace zetl::layer {

/// Device access for those of these drivers that list no metric groups and report nothing that would explain it.
/// Returns nothing if there are none. Call it once per process.
Result<device::Access> coreApiAccess(std::span<const ze_driver_handle_t> drivers);

/// Whether the device is one of them.
bool isCoreApiOnly(ze_device_handle_t device) noexcept;

/// Whether it is one of them and metrics are enabled for it: its driver then does not serve the call. From the first
/// call on the device's commands are counted.
bool countsCoreApi(metrics::Metrics& metrics, ze_device_handle_t device);

/// The address of our function, in front of `held`, the function below, for a function that gives the application a
/// context. Devices do their work in contexts, and it is counted from there on if ZET_ENABLE_METRICS is 1.
ddi::Address withContextsAwaited(ddi::Function function, ddi::Address held) noexcept;

}  // namespace zetl::layer
