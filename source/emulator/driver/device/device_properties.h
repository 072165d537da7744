// The answers of zeDeviceGet...Properties (core specification, "Device"). Structures that the caller chains in but this
// driver does not know stay as they are.
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>

#include "base/result.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

class Device;

Status describeDevice(Device& device, ze_device_properties_t& out);
Status describeCompute(Device& device, ze_device_compute_properties_t& out);
Status describeModules(Device& device, ze_device_module_properties_t& out);
Status describeMemoryAccess(Device& device, ze_device_memory_access_properties_t& out);
/// All zero: like the hardware, the device has no sampler and no typed memory.
Status describeImages(Device& device, ze_device_image_properties_t& out);
Status describeExternalMemory(Device& device, ze_device_external_memory_properties_t& out);
Status describePci(Device& device, ze_pci_ext_properties_t& out);

// The listing functions: `count` works as in enumerate(); `out` may be null.
Status listQueueGroups(Device& device, std::uint32_t* count, ze_command_queue_group_properties_t* out);
Status listMemories(Device& device, std::uint32_t* count, ze_device_memory_properties_t* out);
Status listVectorWidths(Device& device, std::uint32_t* count, ze_device_vector_width_properties_ext_t* out);
Status listCaches(Device& device, std::uint32_t* count, ze_device_cache_properties_t* out);

/// Devices of this driver read each other's memory directly.
Status describePeer(Device& device, Device& peer, ze_device_p2p_properties_t& out);

/// The largest value that the counter of an event can have.
inline std::uint64_t largestEventCount(Device&) noexcept { return UINT64_MAX; }
/// A copy is never split, so that each one counts once per tile.
std::uint32_t copyIncrement(Device& device) noexcept;

}  // namespace zetl::emulator::driver
