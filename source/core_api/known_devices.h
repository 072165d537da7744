// The devices that are served: those whose drivers count nothing, with their core API descriptions.
#pragma once

#include <ze_tools_layer/device_access.h>
#include <ze_tools_layer/level_zero.h>

#include <cstdint>
#include <vector>

#include "base/log.h"

namespace zetl::core_api {

struct KnownDevice {
    ze_device_handle_t handle = nullptr;
    zetl_device_t parent = 0;  ///< 0: a root device
    std::uint32_t parentIndex = 0;
    ze_device_properties_t properties;  ///< of ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2
};

struct KnownDevices {
    std::vector<KnownDevice> all;  ///< root devices first; position + 1 is the id
    decltype(&zeDeviceGetGlobalTimestamps) globalTimestamps = nullptr;
};

/// Sets the devices. Call it once per process, before the provider is used. Throws bad_alloc.
void know(KnownDevices devices);

/// Empty before know().
const KnownDevices& known() noexcept;
/// Null if there is no such device.
const KnownDevice* deviceOf(zetl_device_t id) noexcept;
struct Lease;  // counters.h

/// The provider (provider/backend.h).
struct Backend {
    static constexpr auto kChannel = log::Channel::metrics;
    using Device = const KnownDevice;
    using Lease = const core_api::Lease;
    static std::size_t deviceCount() noexcept { return known().all.size(); }
    static Device* deviceOf(zetl_device_t id) noexcept { return core_api::deviceOf(id); }
    /// Its times are the host's.
    static bool lost() noexcept { return false; }
};

/// The device's id; 0 if it is none of them.
zetl_device_t idOf(const void* handle) noexcept;

}  // namespace zetl::core_api
