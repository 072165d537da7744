#include "emulator/driver/device/queue_group.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::size_t kCopyPattern = 1;  // what Intel's driver says of copy engines since Xe-HPC

constexpr ze_command_queue_group_property_flags_t kComputes =
    ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY |
    ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_METRICS;

}  // namespace

std::vector<QueueGroup> queueGroupsOf(const machine::DeviceProfile& profile) {
    std::vector<QueueGroup> groups = {
        {kComputes, profile.computeQueues, SIZE_MAX},
        {ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_METRICS, 1, kCopyPattern},
    };
    if (profile.linkCopyQueues != 0)
        groups.push_back({ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY, profile.linkCopyQueues, kCopyPattern});
    return groups;
}

}  // namespace zetl::emulator::driver
