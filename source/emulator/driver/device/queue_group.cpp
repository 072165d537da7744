#include "emulator/driver/device/queue_group.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::size_t kCopyPattern = 1;  // what Intel's driver says of Xe-HPC's copy engines

constexpr QueueGroup kGroups[] = {
    {ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY |
         ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_METRICS,
     4, SIZE_MAX},
    {ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_METRICS, 1, kCopyPattern},
    {ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY, 7, kCopyPattern},
};

}  // namespace

std::span<const QueueGroup> queueGroups() noexcept { return kGroups; }

}  // namespace zetl::emulator::driver
