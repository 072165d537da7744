// Finds the driver's devices by the ids of the interface.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <memory>
#include <span>
#include <string>

#include "base/log.h"
#include "driver/lifetime.h"
#include "nvidia/driver/device/device.h"

namespace zetl::nvidia::access {

/// In the driver's order; an id is a position + 1. Empty before zeInit, or without CUDA.
std::span<const std::shared_ptr<Device>> devices();

/// Null if there is no such device.
Device* deviceOf(zetl_device_t id);
zetl_device_t idOf(const Device& device);

struct Lease;  // lease.h

/// The provider (provider/backend.h).
struct Backend {
    static constexpr auto kChannel = log::Channel::nvidia;
    using Device = nvidia::Device;
    using Lease = access::Lease;
    static std::size_t deviceCount() { return devices().size(); }
    static Device* deviceOf(zetl_device_t id) { return access::deviceOf(id); }
    static bool lost() noexcept { return driver::lifetime::inForkedChild(); }
};

/// The key for planning and evaluation: CUPTI's name for the chip, such as GH100. The provider owns the text.
const std::string& chipOf(const Device& device);

}  // namespace zetl::nvidia::access
