// The functions of command lists that change recorded commands.
#include "nvidia/driver/device/mutable_parts.h"
#include "nvidia/driver/execution/command_list.h"
#include "nvidia/driver/program/kernel.h"

namespace zetl::nvidia {

Result<std::uint64_t> CommandList::getNextCommandId(const ze_mutable_command_id_exp_desc_t& description) {
    return getNextCommandIdWithKernels(description, 0, nullptr);
}

Result<std::uint64_t> CommandList::getNextCommandIdWithKernels(const ze_mutable_command_id_exp_desc_t& description,
                                                               std::uint32_t count, ze_kernel_handle_t* kernels) {
    if (description.flags & ~driver::kKnownMutations) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (description.flags & ~kMutableParts)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "flags {:#x} of {:#x} are not among the device's mutableCommandFlags",
                      description.flags & ~kMutableParts, description.flags);
    auto choice = findAll<Kernel>(kernels ? count : 0, kernels);
    if (!choice) return choice.code();
    const Lock guard(mutex_);
    if (!mutable_ || recording_.closed())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "the list is {}; ids are of open lists created with ze_mutable_command_list_exp_desc_t",
                      recording_.closed() ? "closed" : "not mutable");
    const std::uint64_t id = ids_.size() + 1;
    const auto flags = description.flags ? description.flags : driver::kMutableByDefault & kMutableParts;
    ids_[id] = {recording_.commands().size(), flags, *std::move(choice)};
    return id;
}

Status CommandList::update(const std::function<Status(Mutation&)>& edit) {
    if (!mutable_)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "the list is not mutable; create it with ze_mutable_command_list_exp_desc_t");
    const Lock guard(mutex_);
    Mutation mutation(recording_.commands(), ids_);
    if (const Status bad = edit(mutation); bad != ZE_RESULT_SUCCESS) return bad;
    auto changed = mutation.take();
    if (!changed) return changed.code();
    recording_.replace(*std::move(changed));
    return ZE_RESULT_SUCCESS;
}

Status CommandList::updateCommands(const ze_mutable_commands_exp_desc_t& description) {
    return update([&](Mutation& mutation) { return driver::applyChanges(mutation, description); });
}

Status CommandList::updateSignalEvent(std::uint64_t id, ze_event_handle_t event) {
    return update([&](Mutation& mutation) { return mutation.setSignalEvent(id, event); });
}

Status CommandList::updateWaitEvents(std::uint64_t id, std::uint32_t count, ze_event_handle_t* events) {
    return update([&](Mutation& mutation) { return mutation.setWaitEvents(id, count, events); });
}

Status CommandList::updateKernels(std::uint32_t count, std::uint64_t* ids, ze_kernel_handle_t* kernels) {
    return update([&](Mutation& mutation) { return driver::applyKernels(mutation, count, ids, kernels); });
}

}  // namespace zetl::nvidia
