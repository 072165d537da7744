// Changes of recorded commands (specification, extension "Mutable Command List").
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "driver/launch_changes.h"
#include "nvidia/driver/execution/command.h"
#include "nvidia/driver/program/recorded_launch.h"

namespace zetl::nvidia {

using CommandIds = driver::CommandIds<Kernel>;

class Mutation : public driver::LaunchChanges<Mutation, RecordedLaunch, Kernel, CommandSequence> {
  public:
    using LaunchChanges::LaunchChanges;

    Status setSignalEvent(std::uint64_t id, ze_event_handle_t event);
    /// INVALID_SIZE if the number of events differs from before. `events` null: waits for nothing.
    Status setWaitEvents(std::uint64_t id, std::uint32_t count, const ze_event_handle_t* events);

    // For LaunchChanges.
    static std::shared_ptr<const RecordedLaunch> launchOf(const Command& command) { return command.work.launch(); }
    static void setLaunch(Command& command, std::shared_ptr<const RecordedLaunch> launch) {
        command.work = RecordedWork(std::move(launch));
    }
    static Status check(const RecordedLaunch& launch) { return launch.check(); }
};

}  // namespace zetl::nvidia
