// Command queue groups. CUDA has streams and no engines to choose; the groups say what kind of work a queue takes.
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>
#include <span>

namespace zetl::nvidia {

/// One row of zeDeviceGetCommandQueueGroupProperties; its index in queueGroups() is the ordinal.
struct QueueGroup {
    ze_command_queue_group_property_flags_t flags;
    std::uint32_t queues;

    bool computes() const noexcept { return flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE; }
};

std::span<const QueueGroup> queueGroups() noexcept;

}  // namespace zetl::nvidia
