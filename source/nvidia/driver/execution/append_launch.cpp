// The append functions that launch kernels.
#include "driver/append_parameters.h"
#include "nvidia/driver/execution/command_list.h"
#include "nvidia/driver/program/kernel.h"
#include "nvidia/driver/program/recorded_launch.h"

namespace zetl::nvidia {

Status CommandList::appendLaunch(std::shared_ptr<Kernel> kernel, const ze_group_count_t& count, bool cooperative,
                                 const EventUse& use) {
    if (!engine_.computes())
        return refuse(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                      "queue group {} copies only; use one with ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE",
                      engine_.ordinal);
    if (kernel->parts().module->place().device != engine_.place.device)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the kernel's module was built for another device");
    kernel->parts().module->prepareLaunch();
    const Extent groups{count.groupCountX, count.groupCountY, count.groupCountZ};
    if (cooperative)
        if (const Status bad = kernel->checkCooperative(groups); bad != ZE_RESULT_SUCCESS) return bad;
    // For private memory the driver may have to make room, which waits for all streams.
    const bool plain = !cooperative && kernel->parts().privateBytes == 0;
    const Submission submission = plain ? Submission::never : Submission::mayWait;
    return append(
        use, submission, [&](CUstream stream) { return kernel->launch(stream, groups, cooperative); },
        [&] { return RecordedWork(std::make_shared<const RecordedLaunch>(kernel, groups, cooperative)); },
        [&] {
            return Command::Node{.isWork = true, .captured = true, .details = {{"kernel", kernel->parts().name}}};
        });
}

Status CommandList::appendLaunchKernel(std::shared_ptr<Kernel> kernel, const ze_group_count_t& count,
                                       ze_event_handle_t signal, std::uint32_t waitCount, ze_event_handle_t* waits) {
    return appendLaunch(std::move(kernel), count, false, {signal, waitCount, waits});
}

Status CommandList::appendLaunchCooperativeKernel(std::shared_ptr<Kernel> kernel, const ze_group_count_t& count,
                                                  ze_event_handle_t signal, std::uint32_t waitCount,
                                                  ze_event_handle_t* waits) {
    return appendLaunch(std::move(kernel), count, true, {signal, waitCount, waits});
}

Status CommandList::appendLaunchKernelWithParameters(std::shared_ptr<Kernel> kernel, const ze_group_count_t& count,
                                                     const void* parameters, ze_event_handle_t signal,
                                                     std::uint32_t waitCount, ze_event_handle_t* waits) {
    LaunchParameters asked;
    if (const Status bad = readParameters(parameters, &asked); bad != ZE_RESULT_SUCCESS) return bad;
    return appendLaunch(std::move(kernel), count, asked.cooperative, {signal, waitCount, waits});
}

}  // namespace zetl::nvidia
