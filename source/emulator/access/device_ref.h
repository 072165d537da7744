// The driver's devices by the ids of the interface.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <vector>

#include "emulator/driver/device/device.h"

namespace zetl::emulator::access {

/// Root devices in the driver's order, the sub-devices of each behind it; position + 1 is the id. Empty before zeInit.
const std::vector<driver::Device*>& devices();

/// Null if there is no such device.
driver::Device* deviceOf(zetl_device_t id);
zetl_device_t idOf(const driver::Device& device);

/// The device itself, of a sub-device its parent.
inline const driver::Device& rootOf(const driver::Device& device) {
    return device.parent() ? *device.parent() : device;
}

}  // namespace zetl::emulator::access
