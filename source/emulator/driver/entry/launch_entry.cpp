// Entry points of zeCommandListAppendLaunch...
#include "driver/append_parameters.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/launch_operation.h"
#include "emulator/driver/program/kernel_limits.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

constexpr module::Extent kOneGroup{1, 1, 1};

/// Like onObject(), for launches: also checks that the list's engine can compute.
template <class F>
ze_result_t launching(const char* function, ze_command_list_handle_t list, Required pointers, F&& body) noexcept {
    return onObject<CommandList, ZE_RESULT_ERROR_INVALID_SIZE, ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                    ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
                    ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE>(
        function, list, pointers, [&](CommandList& object) -> Status {
            if (object.engine().computes()) return body(object);
            return refuse(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                          "queue group {} copies only; use one with ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE",
                          object.engine().ordinal);
        });
}

Status appendLaunch(CommandList& list, ze_kernel_handle_t handle, const ze_group_count_t& count, bool cooperative,
                    const EventUse& events) {
    const auto kernel = find<Kernel>(handle);
    if (!kernel) return kernel.code();
    const module::Extent groups{count.groupCountX, count.groupCountY, count.groupCountZ};
    KernelSnapshot snapshot(**kernel);
    Device& device = *list.engine().device;
    if (const Status bad = snapshot.check(device, groups); bad != ZE_RESULT_SUCCESS) return bad;
    const std::uint64_t total = std::uint64_t{groups[0]} * groups[1] * groups[2];
    const auto resident =
        residentGroups(snapshot.image(), device.profile(), snapshot.state().groupSize(), snapshot.state().localBytes());
    if (cooperative && total > resident)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} cooperative groups; {} of that size are resident at once",
                      total, resident);
    return list.append(std::make_unique<LaunchOperation>(std::move(snapshot), groups), events);
}

ze_result_t ZE_APICALL launchKernel(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                    const ze_group_count_t* count, ze_event_handle_t signal, std::uint32_t waitCount,
                                    ze_event_handle_t* waits) noexcept {
    return launching("zeCommandListAppendLaunchKernel", list, {}, [&](CommandList& object) -> Status {
        if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        return appendLaunch(object, kernel, *count, false, {signal, waitCount, waits});
    });
}

ze_result_t ZE_APICALL launchCooperativeKernel(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                               const ze_group_count_t* count, ze_event_handle_t signal,
                                               std::uint32_t waitCount, ze_event_handle_t* waits) noexcept {
    return launching("zeCommandListAppendLaunchCooperativeKernel", list, {}, [&](CommandList& object) -> Status {
        if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        return appendLaunch(object, kernel, *count, true, {signal, waitCount, waits});
    });
}

ze_result_t ZE_APICALL launchKernelWithParameters(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                                  const ze_group_count_t* count, const void* parameters,
                                                  ze_event_handle_t signal, std::uint32_t waitCount,
                                                  ze_event_handle_t* waits) noexcept {
    return launching("zeCommandListAppendLaunchKernelWithParameters", list, {}, [&](CommandList& object) -> Status {
        if (!kernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        LaunchParameters asked;
        if (const Status bad = readParameters(parameters, &asked); bad != ZE_RESULT_SUCCESS) return bad;
        return appendLaunch(object, kernel, *count, asked.cooperative, {signal, waitCount, waits});
    });
}

ze_result_t ZE_APICALL launchKernelWithArguments(ze_command_list_handle_t list, ze_kernel_handle_t handle,
                                                 const ze_group_count_t count, const ze_group_size_t size,
                                                 void** arguments, const void* parameters, ze_event_handle_t signal,
                                                 std::uint32_t waitCount, ze_event_handle_t* waits) noexcept {
    return launching("zeCommandListAppendLaunchKernelWithArguments", list, {}, [&](CommandList& object) -> Status {
        const auto kernel = find<Kernel>(handle);
        if (!kernel) return kernel.code();
        LaunchParameters asked;
        if (const Status bad = readParameters(parameters, &asked); bad != ZE_RESULT_SUCCESS) return bad;
        const module::Extent groupSize{size.groupSizeX, size.groupSizeY, size.groupSizeZ};
        if (const Status bad = (*kernel)->setAll(groupSize, arguments); bad != ZE_RESULT_SUCCESS) return bad;
        return appendLaunch(object, handle, count, asked.cooperative, {signal, waitCount, waits});
    });
}

ze_result_t ZE_APICALL launchKernelIndirect(ze_command_list_handle_t list, ze_kernel_handle_t handle,
                                            const ze_group_count_t* count, ze_event_handle_t signal,
                                            std::uint32_t waitCount, ze_event_handle_t* waits) noexcept {
    return launching("zeCommandListAppendLaunchKernelIndirect", list, {}, [&](CommandList& object) -> Status {
        const auto kernel = find<Kernel>(handle);
        if (!kernel) return kernel.code();
        if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        KernelSnapshot snapshot(**kernel);
        if (const Status bad = snapshot.check(*object.engine().device, kOneGroup); bad != ZE_RESULT_SUCCESS) return bad;
        return object.append(std::make_unique<LaunchOperation>(std::move(snapshot), count), {signal, waitCount, waits});
    });
}

ze_result_t ZE_APICALL launchMultipleKernelsIndirect(ze_command_list_handle_t list, std::uint32_t kernelCount,
                                                     ze_kernel_handle_t* kernels, const std::uint32_t* count,
                                                     const ze_group_count_t* groupCounts, ze_event_handle_t signal,
                                                     std::uint32_t waitCount, ze_event_handle_t* waits) noexcept {
    return launching("zeCommandListAppendLaunchMultipleKernelsIndirect", list, {kernels, count, groupCounts},
                     [&](CommandList& object) -> Status {
                         std::vector<KernelSnapshot> snapshots;
                         for (std::uint32_t i = 0; i < kernelCount; ++i) {
                             const auto kernel = find<Kernel>(kernels[i]);
                             if (!kernel) return kernel.code();
                             snapshots.emplace_back(**kernel);
                             const Status bad = snapshots.back().check(*object.engine().device, kOneGroup);
                             if (bad != ZE_RESULT_SUCCESS) return bad;
                         }
                         return object.append(
                             std::make_unique<MultipleLaunchOperation>(std::move(snapshots), count, groupCounts),
                             {signal, waitCount, waits});
                     });
}

}  // namespace

Rows launchRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeCommandListAppendLaunchKernel, launchKernel),
        ZETL_SERVES(zeCommandListAppendLaunchCooperativeKernel, launchCooperativeKernel),
        ZETL_SERVES(zeCommandListAppendLaunchKernelWithParameters, launchKernelWithParameters),
        ZETL_SERVES(zeCommandListAppendLaunchKernelWithArguments, launchKernelWithArguments),
        ZETL_SERVES(zeCommandListAppendLaunchKernelIndirect, launchKernelIndirect),
        ZETL_SERVES(zeCommandListAppendLaunchMultipleKernelsIndirect, launchMultipleKernelsIndirect),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
