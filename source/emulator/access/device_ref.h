// Finds the driver's devices by the ids of the interface.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <vector>

#include "emulator/driver/device/device.h"

namespace zetl::emulator::access {

/// Root devices in the driver's order, each followed by its sub-devices. An id is a position + 1. Empty before zeInit.
const std::vector<driver::Device*>& devices();

/// Null if there is no such device.
driver::Device* deviceOf(zetl_device_t id);
zetl_device_t idOf(const driver::Device& device);

/// The parent of a sub-device, or the device itself.
inline const driver::Device& rootOf(const driver::Device& device) {
    return device.parent() ? *device.parent() : device;
}

}  // namespace zetl::emulator::access
