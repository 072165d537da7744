// Devices whose drivers count nothing: their only metric group comes from what the core API reports about their work.
#pragma once

#include <span>

#include "ddi/route.h"
#include "device/access.h"
#include "toolbox.h"

namespace zetl::layer {

/// Device access to those of these drivers that list no metric groups and say of none that something hinders them;
/// nothing if there are none. Once a process.
Result<device::Access> coreApiAccess(std::span<const ze_driver_handle_t> drivers);

/// Whether the device is one of them.
bool isCoreApiOnly(ze_device_handle_t device) noexcept;

/// Whether it is, and metrics are enabled for it: then its driver has nothing to say to them. From the first time on
/// its commands are counted.
bool countsCoreApi(metrics::Metrics& metrics, ze_device_handle_t device);

/// The address of ours for a function that gives the application a context, before `held`, the function below: what it
/// lets devices do it does in a context, and is counted from there on if ZET_ENABLE_METRICS is 1.
ddi::Address withContextsAwaited(ddi::Function function, ddi::Address held) noexcept;

}  // namespace zetl::layer
