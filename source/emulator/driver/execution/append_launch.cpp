#include "emulator/driver/execution/append_launch.h"

#include "driver/append_parameters.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/execution/api_checks.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/launch_operation.h"
#include "emulator/driver/program/kernel_limits.h"

namespace zetl::emulator::driver {
namespace {

constexpr module::Extent kOneGroup{1, 1, 1};

Status requireCompute(const CommandList& list) {
    if (list.engine().computes()) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                  "queue group {} copies only; use one with ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE",
                  list.ordinal());
}

Status append(CommandList& list, const Kernel& kernel, const ze_group_count_t& count, bool cooperative,
              const EventUse& events) {
    if (const Status bad = requireCompute(list); bad != ZE_RESULT_SUCCESS) return bad;
    const module::Extent groups{count.groupCountX, count.groupCountY, count.groupCountZ};
    KernelSnapshot snapshot(kernel);
    if (const Status bad = snapshot.check(list.device(), groups); bad != ZE_RESULT_SUCCESS) return bad;
    noteArguments(kernel, list.context());
    const std::uint64_t total = std::uint64_t{groups[0]} * groups[1] * groups[2];
    const auto resident = residentGroups(snapshot.image(), list.device().profile(), snapshot.state().groupSize(),
                                         snapshot.state().localBytes());
    if (cooperative && total > resident)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} cooperative groups; {} of that size are resident at once",
                      total, resident);
    return list.append(std::make_unique<LaunchOperation>(std::move(snapshot), groups), events);
}

}  // namespace

Status appendLaunch(CommandList& list, const Kernel& kernel, const ze_group_count_t& count, const EventUse& events) {
    return append(list, kernel, count, false, events);
}

Status appendCooperativeLaunch(CommandList& list, const Kernel& kernel, const ze_group_count_t& count,
                               const EventUse& events) {
    return append(list, kernel, count, true, events);
}

Status appendLaunchWithParameters(CommandList& list, const Kernel& kernel, const ze_group_count_t& count,
                                  const void* parameters, const EventUse& events) {
    LaunchParameters asked;
    if (const Status bad = readParameters(parameters, &asked); bad != ZE_RESULT_SUCCESS) return bad;
    return append(list, kernel, count, asked.cooperative, events);
}

Status appendLaunchWithArguments(CommandList& list, Kernel& kernel, const ze_group_count_t& count,
                                 const ze_group_size_t& size, void** arguments, const void* parameters,
                                 const EventUse& events) {
    if (const Status bad = requireCompute(list); bad != ZE_RESULT_SUCCESS) return bad;
    LaunchParameters asked;
    if (const Status bad = readParameters(parameters, &asked); bad != ZE_RESULT_SUCCESS) return bad;
    const module::Extent groupSize{size.groupSizeX, size.groupSizeY, size.groupSizeZ};
    if (const Status bad = kernel.setAll(groupSize, arguments); bad != ZE_RESULT_SUCCESS) return bad;
    return append(list, kernel, count, asked.cooperative, events);
}

Status appendIndirectLaunch(CommandList& list, const Kernel& kernel, const ze_group_count_t* count,
                            const EventUse& events) {
    if (const Status bad = requireCompute(list); bad != ZE_RESULT_SUCCESS) return bad;
    KernelSnapshot snapshot(kernel);
    if (const Status bad = snapshot.check(list.device(), kOneGroup); bad != ZE_RESULT_SUCCESS) return bad;
    noteArguments(kernel, list.context());
    return list.append(std::make_unique<LaunchOperation>(std::move(snapshot), count), events);
}

Status appendIndirectLaunches(CommandList& list, std::uint32_t kernelCount, ze_kernel_handle_t* kernels,
                              const std::uint32_t* count, const ze_group_count_t* groupCounts, const EventUse& events) {
    if (const Status bad = requireCompute(list); bad != ZE_RESULT_SUCCESS) return bad;
    std::vector<KernelSnapshot> snapshots;
    for (std::uint32_t i = 0; i < kernelCount; ++i) {
        const auto kernel = find<Kernel>(kernels[i]);
        if (!kernel) return kernel.code();
        snapshots.emplace_back(**kernel);
        const Status bad = snapshots.back().check(list.device(), kOneGroup);
        if (bad != ZE_RESULT_SUCCESS) return bad;
        noteArguments(**kernel, list.context());
    }
    return list.append(std::make_unique<MultipleLaunchOperation>(std::move(snapshots), count, groupCounts), events);
}

}  // namespace zetl::emulator::driver
