// Changes of recorded commands (specification, extension "Mutable Command List").
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "driver/mutability.h"
#include "nvidia/driver/execution/command.h"

namespace zetl::nvidia {

class Kernel;
class RecordedLaunch;

using CommandIds = driver::CommandIds<Kernel>;

/// The changes of one call, made on a copy of a list's commands, so that executions in flight and failed calls leave
/// the list as it was. Every change returns INVALID_ARGUMENT for an id that is unknown or does not allow it.
class Mutation {
  public:
    Mutation(CommandSequence commands, const CommandIds& ids) : commands_(std::move(commands)), ids_(ids) {}

    Status setArgument(const ze_mutable_kernel_argument_exp_desc_t& change);
    Status setGroupCount(const ze_mutable_group_count_exp_desc_t& change);
    Status setGroupSize(const ze_mutable_group_size_exp_desc_t& change);
    /// UNSUPPORTED_FEATURE.
    Status setGlobalOffset(const ze_mutable_global_offset_exp_desc_t& change);
    /// INVALID_KERNEL_HANDLE for a kernel that was not named with the id. The kernel's present state is taken.
    Status setKernel(std::uint64_t id, ze_kernel_handle_t kernel);
    Status setSignalEvent(std::uint64_t id, ze_event_handle_t event);
    /// INVALID_SIZE if the number of events differs from before. `events` null: waits for nothing.
    Status setWaitEvents(std::uint64_t id, std::uint32_t count, const ze_event_handle_t* events);

    /// The changed commands, or the reason why a launch among them cannot be recorded.
    Result<CommandSequence> take();

  private:
    Result<Command*> command(std::uint64_t id, ze_mutable_command_exp_flags_t change) {
        return driver::mutableCommand(commands_, ids_, id, change);
    }
    Status changeLaunch(std::uint64_t id, ze_mutable_command_exp_flags_t change,
                        const std::function<Status(RecordedLaunch&)>& edit);

    CommandSequence commands_;
    const CommandIds& ids_;
    std::vector<std::shared_ptr<const RecordedLaunch>> changed_;
};

}  // namespace zetl::nvidia
