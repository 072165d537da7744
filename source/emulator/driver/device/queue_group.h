// Command queue groups: the kinds of engines a device has and how many of each.
#pragma once

#include <level_zero/ze_api.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace zetl::emulator::driver {

/// One row of zeDeviceGetCommandQueueGroupProperties; its index in queueGroups() is the ordinal.
struct QueueGroup {
    ze_command_queue_group_property_flags_t flags;
    std::uint32_t queues;
    std::size_t fillPatternBytes;  ///< the longest pattern that the hardware's engine fills with; longer ones work too

    bool computes() const noexcept { return flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE; }
};

/// The groups of every device: compute engines, the main copy engine, the link copy engines.
std::span<const QueueGroup> queueGroups() noexcept;

}  // namespace zetl::emulator::driver
