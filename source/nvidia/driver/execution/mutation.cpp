#include "nvidia/driver/execution/mutation.h"

#include <algorithm>

#include "nvidia/driver/program/recorded_launch.h"

namespace zetl::nvidia {

Status Mutation::changeLaunch(std::uint64_t id, ze_mutable_command_exp_flags_t change,
                              const std::function<Status(RecordedLaunch&)>& edit) {
    const auto target = command(id, change);
    if (!target) return target.code();
    const auto former = (*target)->work.launch();
    if (!former) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "command {} launches no kernel", id);
    const auto copy = std::make_shared<RecordedLaunch>(*former);
    if (const Status bad = edit(*copy); bad != ZE_RESULT_SUCCESS) return driver::unfitting(bad);
    std::erase(changed_, former);
    changed_.push_back(copy);
    (*target)->work = RecordedWork(std::shared_ptr<const RecordedLaunch>(copy));
    return ZE_RESULT_SUCCESS;
}

Status Mutation::setArgument(const ze_mutable_kernel_argument_exp_desc_t& change) {
    return changeLaunch(change.commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS, [&](RecordedLaunch& launch) {
        return launch.setArgument(change.argIndex, change.argSize, change.pArgValue);
    });
}

Status Mutation::setGroupCount(const ze_mutable_group_count_exp_desc_t& change) {
    if (!change.pGroupCount) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const auto& count = *change.pGroupCount;
    return changeLaunch(change.commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT, [&](RecordedLaunch& launch) {
        launch.setGroups({count.groupCountX, count.groupCountY, count.groupCountZ});
        return ZE_RESULT_SUCCESS;
    });
}

Status Mutation::setGroupSize(const ze_mutable_group_size_exp_desc_t& change) {
    return changeLaunch(change.commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE, [&](RecordedLaunch& launch) {
        return launch.setGroupSize({change.groupSizeX, change.groupSizeY, change.groupSizeZ});
    });
}

Status Mutation::setGlobalOffset(const ze_mutable_global_offset_exp_desc_t&) {
    return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                  "kernels of CUDA have no global offset; give the kernel an argument for it");
}

Status Mutation::setKernel(std::uint64_t id, ze_kernel_handle_t handle) {
    const auto target = command(id, driver::kMutableKernel);
    if (!target) return target.code();
    const auto kernel = find<Kernel>(handle);
    const auto& choice = ids_.at(id).kernels;
    if (!kernel || std::ranges::find(choice, *kernel) == choice.end())
        return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE, "the kernel is not one of the {} that command {} may have",
                      choice.size(), id);
    return changeLaunch(id, driver::kMutableKernel, [&](RecordedLaunch& launch) { return launch.setKernel(*kernel); });
}

Status Mutation::setSignalEvent(std::uint64_t id, ze_event_handle_t event) {
    const auto target = command(id, ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT);
    if (!target) return target.code();
    auto signal = signalOf(event, false);
    if (!signal) return signal.code();
    (*target)->events.signal = *std::move(signal);
    return ZE_RESULT_SUCCESS;
}

Status Mutation::setWaitEvents(std::uint64_t id, std::uint32_t count, const ze_event_handle_t* events) {
    const auto target = command(id, ZE_MUTABLE_COMMAND_EXP_FLAG_WAIT_EVENTS);
    if (!target) return target.code();
    auto& own = (*target)->events;
    if (events && count != own.waitPlaces)
        return refuse(ZE_RESULT_ERROR_INVALID_SIZE, "{} events to wait for; the command was appended with {}", count,
                      own.waitPlaces);
    auto waits = waitsOf(events ? count : 0, events, false, true);
    if (!waits) return waits.code();
    own.waits = *std::move(waits);
    return ZE_RESULT_SUCCESS;
}

Result<CommandSequence> Mutation::take() {
    for (const auto& launch : changed_)
        if (const Status bad = launch->check(); bad != ZE_RESULT_SUCCESS) return bad;
    return std::move(commands_);
}

}  // namespace zetl::nvidia
