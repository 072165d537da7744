// The parts of recorded commands that may change, and the changes of a call (specification, extension "Mutable Command
// List"). Each driver has a Mutation, which makes them (launch_changes.h).
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/chain.h"
#include "base/result.h"
#include "driver/chain.h"
#include "driver/refusal.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::driver {

/// Allows kernels to change; headers before specification 1.11 have no name for the flag.
inline constexpr ze_mutable_command_exp_flags_t kMutableKernel = ZE_BIT(6);
/// The changes that the specification allows for an id without flags.
inline constexpr ze_mutable_command_exp_flags_t kMutableByDefault =
    ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT |
    ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE | ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET |
    ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT | ZE_MUTABLE_COMMAND_EXP_FLAG_WAIT_EVENTS;
inline constexpr ze_mutable_command_exp_flags_t kKnownMutations = 0xff;

/// The parts of a command that may change, as requested with its id.
template <class Kernel>
struct Mutability {
    std::size_t command;  ///< index in the list
    ze_mutable_command_exp_flags_t flags;
    std::vector<std::shared_ptr<Kernel>> kernels;  ///< the kernels that may replace its kernel
};

template <class Kernel>
using CommandIds = std::map<std::uint64_t, Mutability<Kernel>>;

/// The command of this id, if the id allows the change; else INVALID_ARGUMENT.
template <class Sequence, class Kernel>
auto mutableCommand(Sequence& commands, const CommandIds<Kernel>& ids, std::uint64_t id,
                    ze_mutable_command_exp_flags_t change) -> Result<typename Sequence::value_type*> {
    const auto found = ids.find(id);
    if (found == ids.end() || found->second.command >= commands.size())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list has no command of id {}", id);
    if (!(found->second.flags & change))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "the id of the command was asked for with flags {:#x}; this change needs {:#x}",
                      found->second.flags, change);
    return &commands[found->second.command];
}

template <class Mutation>
Status applyChange(Mutation& mutation, const ChainLink& change) {
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
template <class Mutation>
Status applyChanges(Mutation& mutation, const ze_mutable_commands_exp_desc_t& description) {
    const auto reader = chainReader();
    for (const auto* link = linkAt(description.pNext, reader); link; link = linkAt(link->pNext, reader))
        if (const Status bad = applyChange(mutation, *link); bad != ZE_RESULT_SUCCESS) return bad;
    return ZE_RESULT_SUCCESS;
}

/// setKernel() for each of them.
template <class Mutation>
Status applyKernels(Mutation& mutation, std::uint32_t count, const std::uint64_t* ids,
                    const ze_kernel_handle_t* kernels) {
    for (std::uint32_t i = 0; i < count; ++i)
        if (const Status bad = mutation.setKernel(ids[i], kernels[i]); bad != ZE_RESULT_SUCCESS) return bad;
    return ZE_RESULT_SUCCESS;
}

/// INVALID_SIZE if events are given, and not as many as the command was appended with.
inline Status checkWaitCount(const ze_event_handle_t* events, std::uint32_t count, std::size_t former) {
    if (!events || count == former) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_SIZE, "{} events to wait for; the command was appended with {}", count,
                  former);
}

/// The extension defines one code for all values that do not fit.
inline Status unfitting(Status status) noexcept {
    return status == ZE_RESULT_SUCCESS ? status : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

}  // namespace zetl::driver
