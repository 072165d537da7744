// The queue group, queue and mode for which queues and lists are created.
#pragma once

#include <level_zero/ze_api.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace zetl::driver {

/// One row of zeDeviceGetCommandQueueGroupProperties; its index among a driver's groups is the ordinal.
struct QueueGroup {
    ze_command_queue_group_property_flags_t flags;
    std::uint32_t queues;
    std::size_t fillPatternBytes = SIZE_MAX;  ///< the longest pattern that its engine fills with

    bool computes() const noexcept { return flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE; }
};

/// The place of a command queue or list on a device: checked when it is made, constant afterwards.
struct QueuePlace {
    std::uint32_t ordinal = 0;
    std::uint32_t index = 0;
    ze_command_queue_mode_t mode = ZE_COMMAND_QUEUE_MODE_DEFAULT;
    ze_command_queue_priority_t priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL;
    std::uint32_t flags = 0;  ///< ze_command_queue_flags_t; for a regular list, ze_command_list_flags_t

    bool synchronous() const noexcept { return mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS; }
};

/// The place that a description names. INVALID_ENUMERATION, or INVALID_ARGUMENT if there is no such ordinal or index.
/// The index of a list is 0.
Result<QueuePlace> placeOf(std::span<const QueueGroup> groups, const ze_command_queue_desc_t& description);
Result<QueuePlace> placeOf(std::span<const QueueGroup> groups, const ze_command_list_desc_t& description);

/// Whether a queue or an immediate list may execute the commands of a list: INVALID_ARGUMENT if the list itself is
/// immediate, INVALID_COMMAND_LIST_TYPE if it was created for another group or device.
Status checkExecution(bool immediate, const QueuePlace& list, const QueuePlace& executing, bool sameDevice);

/// INVALID_ARGUMENT for a list that is not immediate: callers wait for its queue instead.
Status checkWait(bool immediate);

}  // namespace zetl::driver
