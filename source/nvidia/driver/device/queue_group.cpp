#include "nvidia/driver/device/queue_group.h"

namespace zetl::nvidia {
namespace {

constexpr QueueGroup kGroups[] = {
    {ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY |
         ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS,
     16},
    {ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY, 4},
};

}  // namespace

std::span<const QueueGroup> queueGroups() noexcept { return kGroups; }

}  // namespace zetl::nvidia
