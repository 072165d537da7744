// Changes of recorded launches (specification, extension "Mutable Command List").
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "driver/boundary.h"
#include "driver/mutability.h"

namespace zetl::driver {

/// The changes of one call, made on a copy of a list's commands, so that executions in flight and failed calls leave
/// the list as it was. Every change returns INVALID_ARGUMENT for an id that is unknown or does not allow it.
///
/// `Mutation` is the driver's class that inherits this one. It has these functions:
///   std::shared_ptr<const Launch> launchOf(const Command&)               null if the command launches no kernel
///   void setLaunch(Command&, std::shared_ptr<const Launch>)
///   Status check(const Launch&)                                          whether the launch can be recorded
template <class Mutation, class Launch, class Kernel, class Commands>
class LaunchChanges {
  public:
    using Command = typename Commands::value_type;
    using Ids = CommandIds<Kernel>;

    LaunchChanges(Commands commands, const Ids& ids) : commands_(std::move(commands)), ids_(ids) {}

    Status setArgument(const ze_mutable_kernel_argument_exp_desc_t& change) {
        return changeLaunch(change.commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS, [&](Launch& launch) {
            return launch.setArgument(change.argIndex, change.argSize, change.pArgValue);
        });
    }
    Status setGroupCount(const ze_mutable_group_count_exp_desc_t& change) {
        if (!change.pGroupCount) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        const auto& count = *change.pGroupCount;
        return changeLaunch(change.commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT, [&](Launch& launch) {
            return launch.setGroupCount({count.groupCountX, count.groupCountY, count.groupCountZ});
        });
    }
    Status setGroupSize(const ze_mutable_group_size_exp_desc_t& change) {
        return changeLaunch(change.commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE, [&](Launch& launch) {
            return launch.setGroupSize({change.groupSizeX, change.groupSizeY, change.groupSizeZ});
        });
    }
    Status setGlobalOffset(const ze_mutable_global_offset_exp_desc_t& change) {
        return changeLaunch(change.commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET, [&](Launch& launch) {
            return launch.setGlobalOffset({change.offsetX, change.offsetY, change.offsetZ});
        });
    }
    /// INVALID_KERNEL_HANDLE for a kernel that was not named with the id. The kernel's present state is taken.
    Status setKernel(std::uint64_t id, ze_kernel_handle_t handle) {
        const auto target = command(id, kMutableKernel);
        if (!target) return target.code();
        const auto kernel = find<Kernel>(handle);
        const auto& choice = ids_.at(id).kernels;
        if (!kernel || std::ranges::find(choice, *kernel) == choice.end())
            return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE,
                          "the kernel is not one of the {} that command {} may have", choice.size(), id);
        return changeLaunch(id, kMutableKernel, [&](Launch& launch) { return launch.setKernel(*kernel); });
    }

    /// The changed commands, or the reason why a launch among them cannot be recorded.
    Result<Commands> take() {
        for (const auto& launch : changed_)
            if (const Status bad = own().check(*launch); bad != ZE_RESULT_SUCCESS) return bad;
        return std::move(commands_);
    }
    /// Called when the list has taken the changes over.
    void keep() const noexcept {}

  protected:
    Result<Command*> command(std::uint64_t id, ze_mutable_command_exp_flags_t change) {
        return mutableCommand(commands_, ids_, id, change);
    }

  private:
    Mutation& own() noexcept { return static_cast<Mutation&>(*this); }

    template <class Edit>
    Status changeLaunch(std::uint64_t id, ze_mutable_command_exp_flags_t change, Edit&& edit) {
        const auto target = command(id, change);
        if (!target) return target.code();
        const auto former = own().launchOf(**target);
        if (!former) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "command {} launches no kernel", id);
        const auto copy = std::make_shared<Launch>(*former);
        if (const Status bad = edit(*copy); bad != ZE_RESULT_SUCCESS) return unfitting(bad);
        std::erase(changed_, former);
        changed_.push_back(copy);
        own().setLaunch(**target, copy);
        return ZE_RESULT_SUCCESS;
    }

    Commands commands_;
    const Ids& ids_;
    std::vector<std::shared_ptr<const Launch>> changed_;
};

}  // namespace zetl::driver
