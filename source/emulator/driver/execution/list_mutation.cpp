// The functions of command lists that change recorded commands.
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/program/kernel.h"

namespace zetl::emulator::driver {
namespace {

constexpr ze_mutable_command_exp_flags_t kKnownMutations = 0xff;

Status apply(Mutation& mutation, const ChainLink& change) {
    switch (static_cast<std::uint32_t>(change.stype)) {
        case ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC:
            return mutation.setArgument(reinterpret_cast<const ze_mutable_kernel_argument_exp_desc_t&>(change));
        case ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC:
            return mutation.setGroupCount(reinterpret_cast<const ze_mutable_group_count_exp_desc_t&>(change));
        case ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC:
            return mutation.setGroupSize(reinterpret_cast<const ze_mutable_group_size_exp_desc_t&>(change));
        case ZE_STRUCTURE_TYPE_MUTABLE_GLOBAL_OFFSET_EXP_DESC:
            return mutation.setGlobalOffset(reinterpret_cast<const ze_mutable_global_offset_exp_desc_t&>(change));
        default:
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a change of type {:#x} is not known",
                          static_cast<unsigned>(change.stype));
    }
}

}  // namespace

Result<std::uint64_t> CommandList::getNextCommandId(const ze_mutable_command_id_exp_desc_t& description) {
    return getNextCommandIdWithKernels(description, 0, nullptr);
}

Result<std::uint64_t> CommandList::getNextCommandIdWithKernels(const ze_mutable_command_id_exp_desc_t& description,
                                                               std::uint32_t count, ze_kernel_handle_t* kernels) {
    if (description.flags & ~kKnownMutations) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    auto choice = findAll<Kernel>(kernels ? count : 0, kernels);
    if (!choice) return choice.code();
    return nextCommandId(description.flags ? description.flags : kMutableByDefault, *std::move(choice));
}

/// The chain has a link for each change, so it may be long. Reading ends at the first change that is refused.
Status CommandList::updateCommands(const ze_mutable_commands_exp_desc_t& description) {
    return update([&](Mutation& mutation) -> Status {
        const auto reader = chainReader();
        for (const auto* link = linkAt(description.pNext, reader); link; link = linkAt(link->pNext, reader))
            if (const Status bad = apply(mutation, *link); bad != ZE_RESULT_SUCCESS) return bad;
        return ZE_RESULT_SUCCESS;
    });
}

Status CommandList::updateSignalEvent(std::uint64_t id, ze_event_handle_t event) {
    return update([&](Mutation& mutation) { return mutation.setSignalEvent(id, event); });
}

Status CommandList::updateWaitEvents(std::uint64_t id, std::uint32_t count, ze_event_handle_t* events) {
    return update([&](Mutation& mutation) { return mutation.setWaitEvents(id, count, events); });
}

Status CommandList::updateKernels(std::uint32_t count, std::uint64_t* ids, ze_kernel_handle_t* kernels) {
    return update([&](Mutation& mutation) -> Status {
        for (std::uint32_t i = 0; i < count; ++i)
            if (const Status bad = mutation.setKernel(ids[i], kernels[i]); bad != ZE_RESULT_SUCCESS) return bad;
        return ZE_RESULT_SUCCESS;
    });
}

}  // namespace zetl::emulator::driver
