// The functions of command lists that change recorded commands.
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/program/kernel.h"

namespace zetl::emulator::driver {
Result<std::uint64_t> CommandList::getNextCommandId(const ze_mutable_command_id_exp_desc_t& description) {
    return getNextCommandIdWithKernels(description, 0, nullptr);
}

Result<std::uint64_t> CommandList::getNextCommandIdWithKernels(const ze_mutable_command_id_exp_desc_t& description,
                                                               std::uint32_t count, ze_kernel_handle_t* kernels) {
    if (description.flags & ~zetl::driver::kKnownMutations) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    auto choice = findAll<Kernel>(kernels ? count : 0, kernels);
    if (!choice) return choice.code();
    return nextCommandId(description.flags ? description.flags : zetl::driver::kMutableByDefault, *std::move(choice));
}

Status CommandList::updateCommands(const ze_mutable_commands_exp_desc_t& description) {
    return update([&](Mutation& mutation) { return zetl::driver::applyChanges(mutation, description); });
}

Status CommandList::updateSignalEvent(std::uint64_t id, ze_event_handle_t event) {
    return update([&](Mutation& mutation) { return mutation.setSignalEvent(id, event); });
}

Status CommandList::updateWaitEvents(std::uint64_t id, std::uint32_t count, ze_event_handle_t* events) {
    return update([&](Mutation& mutation) { return mutation.setWaitEvents(id, count, events); });
}

Status CommandList::updateKernels(std::uint32_t count, std::uint64_t* ids, ze_kernel_handle_t* kernels) {
    return update([&](Mutation& mutation) { return zetl::driver::applyKernels(mutation, count, ids, kernels); });
}

}  // namespace zetl::emulator::driver
