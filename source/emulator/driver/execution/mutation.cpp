#include "emulator/driver/execution/mutation.h"

#include <algorithm>

#include "emulator/driver/device/device.h"
#include "emulator/driver/execution/event_use.h"
#include "emulator/driver/execution/launch_operation.h"
#include "emulator/driver/shared_parts.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {
Status Mutation::changeLaunch(std::uint64_t id, ze_mutable_command_exp_flags_t change,
                              const std::function<Status(LaunchOperation&)>& edit) {
    const auto target = command(id, change);
    if (!target) return target.code();
    const auto* launch = dynamic_cast<const LaunchOperation*>((*target)->operation.get());
    if (!launch) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "command {} launches no kernel", id);
    auto copy = std::make_shared<LaunchOperation>(*launch);
    if (const Status bad = edit(*copy); bad != ZE_RESULT_SUCCESS) return zetl::driver::unfitting(bad);
    std::erase_if(changed_, [&](const auto& former) { return former.get() == launch; });
    changed_.push_back(copy);
    (*target)->operation = std::move(copy);
    return ZE_RESULT_SUCCESS;
}

Status Mutation::setArgument(const ze_mutable_kernel_argument_exp_desc_t& change) {
    return changeLaunch(change.commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS, [&](LaunchOperation& launch) {
        return launch.kernel().setArgument(change.argIndex, change.argSize, change.pArgValue);
    });
}

Status Mutation::setGroupCount(const ze_mutable_group_count_exp_desc_t& change) {
    if (!change.pGroupCount) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const auto& count = *change.pGroupCount;
    return changeLaunch(change.commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT, [&](LaunchOperation& launch) {
        return launch.setGroupCount({count.groupCountX, count.groupCountY, count.groupCountZ});
    });
}

Status Mutation::setGroupSize(const ze_mutable_group_size_exp_desc_t& change) {
    return changeLaunch(change.commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE, [&](LaunchOperation& launch) {
        return launch.kernel().setGroupSize({change.groupSizeX, change.groupSizeY, change.groupSizeZ});
    });
}

Status Mutation::setGlobalOffset(const ze_mutable_global_offset_exp_desc_t& change) {
    return changeLaunch(change.commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET, [&](LaunchOperation& launch) {
        launch.kernel().setGlobalOffset({change.offsetX, change.offsetY, change.offsetZ});
        return ZE_RESULT_SUCCESS;
    });
}

Status Mutation::setKernel(std::uint64_t id, ze_kernel_handle_t handle) {
    const auto target = command(id, zetl::driver::kMutableKernel);
    if (!target) return target.code();
    const auto kernel = find<Kernel>(handle);
    const auto& choice = ids_.at(id).kernels;
    if (!kernel || std::ranges::find(choice, *kernel) == choice.end())
        return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE, "the kernel is not one of the {} that command {} may have",
                      choice.size(), id);
    return changeLaunch(id, zetl::driver::kMutableKernel, [&](LaunchOperation& launch) {
        launch.setKernel(**kernel);
        return ZE_RESULT_SUCCESS;
    });
}

Status Mutation::setSignalEvent(std::uint64_t id, ze_event_handle_t event) {
    const auto target = command(id, ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT);
    if (!target) return target.code();
    auto claim = claimSignal(**target, event, list_);
    if (!claim) return claim.code();
    claims_.push_back(*std::move(claim));
    return ZE_RESULT_SUCCESS;
}

void Mutation::keepClaims() const {
    for (const Event::Claim& claim : claims_) claim.keep();
}

Status Mutation::setWaitEvents(std::uint64_t id, std::uint32_t count, const ze_event_handle_t* events) {
    const auto target = command(id, ZE_MUTABLE_COMMAND_EXP_FLAG_WAIT_EVENTS);
    if (!target) return target.code();
    const std::size_t former = (*target)->waits.size();
    if (events && count != former)
        return refuse(ZE_RESULT_ERROR_INVALID_SIZE, "{} events to wait for; the command was appended with {}", count,
                      former);
    const std::vector<ze_event_handle_t> none(former);
    return setWaits(**target, static_cast<std::uint32_t>(former), events ? events : none.data(),
                    NullWaits::keepTheirPlace);
}

Result<CommandSequence> Mutation::take() {
    for (const auto& launch : changed_)
        if (const Status bad = launch->check(device_); bad != ZE_RESULT_SUCCESS) return bad;
    return std::move(commands_);
}

}  // namespace zetl::emulator::driver
