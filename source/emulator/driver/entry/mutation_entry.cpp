// Entry points of zeCommandList...Mutable..., and of the ids by which they change commands
#include "driver/property.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/mutation.h"
#include "emulator/driver/program/kernel.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

constexpr ze_mutable_command_exp_flags_t kKnownMutations = 0xff;

Status nextId(CommandList& list, const ze_mutable_command_id_exp_desc_t& description, std::uint32_t count,
              ze_kernel_handle_t* kernels, std::uint64_t& out) {
    if (description.flags & ~kKnownMutations) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    std::vector<std::shared_ptr<Kernel>> choice;
    for (std::uint32_t i = 0; kernels && i < count; ++i) {
        auto kernel = find<Kernel>(kernels[i]);
        if (!kernel) return kernel.code();
        choice.push_back(*std::move(kernel));
    }
    const auto id = list.nextCommandId(description.flags ? description.flags : kMutableByDefault, std::move(choice));
    if (!id) return id.code();
    out = *id;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL getNextId(ze_command_list_handle_t list, const ze_mutable_command_id_exp_desc_t* description,
                                 std::uint64_t* id) noexcept {
    return onObject<CommandList>("zeCommandListGetNextCommandIdExp", list, {description, id},
                                 [&](CommandList& object) { return nextId(object, *description, 0, nullptr, *id); });
}

ze_result_t ZE_APICALL getNextIdWithKernels(ze_command_list_handle_t list,
                                            const ze_mutable_command_id_exp_desc_t* description, std::uint32_t count,
                                            ze_kernel_handle_t* kernels, std::uint64_t* id) noexcept {
    return onObject<CommandList>(
        "zeCommandListGetNextCommandIdWithKernelsExp", list, {description, id},
        [&](CommandList& object) { return nextId(object, *description, count, kernels, *id); });
}

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

/// The chain has a link for each change, so it may be long. Reading ends at the first change that is refused.
ze_result_t ZE_APICALL update(ze_command_list_handle_t list,
                              const ze_mutable_commands_exp_desc_t* description) noexcept {
    return onObject<CommandList>(
        "zeCommandListUpdateMutableCommandsExp", list, {description}, [&](CommandList& object) {
            return object.update([&](Mutation& mutation) -> Status {
                const auto reader = chainReader();
                for (const auto* link = linkAt(description->pNext, reader); link; link = linkAt(link->pNext, reader))
                    if (const Status bad = apply(mutation, *link); bad != ZE_RESULT_SUCCESS) return bad;
                return ZE_RESULT_SUCCESS;
            });
        });
}

ze_result_t ZE_APICALL updateSignal(ze_command_list_handle_t list, std::uint64_t id, ze_event_handle_t event) noexcept {
    return onObject<CommandList>("zeCommandListUpdateMutableCommandSignalEventExp", list, {}, [&](CommandList& object) {
        return object.update([&](Mutation& mutation) { return mutation.setSignalEvent(id, event); });
    });
}

ze_result_t ZE_APICALL updateWaits(ze_command_list_handle_t list, std::uint64_t id, std::uint32_t count,
                                   ze_event_handle_t* events) noexcept {
    return onObject<CommandList, ZE_RESULT_ERROR_INVALID_SIZE>(
        "zeCommandListUpdateMutableCommandWaitEventsExp", list, {}, [&](CommandList& object) {
            return object.update([&](Mutation& mutation) { return mutation.setWaitEvents(id, count, events); });
        });
}

ze_result_t ZE_APICALL updateKernels(ze_command_list_handle_t list, std::uint32_t count, std::uint64_t* ids,
                                     ze_kernel_handle_t* kernels) noexcept {
    return onObject<CommandList, ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE>(
        "zeCommandListUpdateMutableCommandKernelsExp", list, {ids, kernels}, [&](CommandList& object) {
            return object.update([&](Mutation& mutation) -> Status {
                for (std::uint32_t i = 0; i < count; ++i)
                    if (const Status bad = mutation.setKernel(ids[i], kernels[i]); bad != ZE_RESULT_SUCCESS) return bad;
                return ZE_RESULT_SUCCESS;
            });
        });
}

ze_result_t ZE_APICALL isMutable(ze_command_list_handle_t list, ze_bool_t* out) noexcept {
    return answer<CommandList>("zeCommandListIsMutableExp", list, out, &CommandList::isMutable);
}

}  // namespace

Rows mutationRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeCommandListGetNextCommandIdExp, getNextId),
        ZETL_SERVES(zeCommandListGetNextCommandIdWithKernelsExp, getNextIdWithKernels),
        ZETL_SERVES(zeCommandListUpdateMutableCommandsExp, update),
        ZETL_SERVES(zeCommandListUpdateMutableCommandSignalEventExp, updateSignal),
        ZETL_SERVES(zeCommandListUpdateMutableCommandWaitEventsExp, updateWaits),
        ZETL_SERVES(zeCommandListUpdateMutableCommandKernelsExp, updateKernels),
        ZETL_SERVES(zeCommandListIsMutableExp, isMutable),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
