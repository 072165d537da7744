// Finds the driver's devices by the ids of the interface.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <vector>

#include "base/log.h"
#include "emulator/driver/device/device.h"

namespace zetl::emulator::access {

/// Root devices in the driver's order, each followed by its sub-devices. An id is a position + 1. Empty before zeInit.
const std::vector<driver::Device*>& devices();

/// Null if there is no such device.
driver::Device* deviceOf(zetl_device_t id);
zetl_device_t idOf(const driver::Device& device);

struct Lease;  // queries.h

/// The provider (provider/backend.h).
struct Backend {
    static constexpr auto kChannel = log::Channel::emulator;
    using Device = driver::Device;
    using Lease = access::Lease;
    static std::size_t deviceCount() { return devices().size(); }
    static Device* deviceOf(zetl_device_t id) { return access::deviceOf(id); }
    /// In a forked child, threads that the child does not have may hold any lock.
    static bool lost() { return !devices().empty() && devices().front()->machine().machine().lost(); }
};

/// The parent of a sub-device, or the device itself.
inline const driver::Device& rootOf(const driver::Device& device) {
    return device.parent() ? *device.parent() : device;
}

}  // namespace zetl::emulator::access
