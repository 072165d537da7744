// Changes of recorded commands (specification, extension "Mutable Command List").
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "driver/launch_changes.h"
#include "emulator/driver/execution/event.h"
#include "emulator/driver/execution/event_use.h"
#include "emulator/driver/execution/launch_operation.h"
#include "emulator/driver/execution/operation.h"

namespace zetl::emulator::driver {

class Device;

using CommandIds = zetl::driver::CommandIds<Kernel>;

class Mutation : public zetl::driver::LaunchChanges<Mutation, LaunchOperation, Kernel, CommandSequence> {
  public:
    Mutation(CommandSequence commands, const CommandIds& ids, Device& device, ListKind list)
        : LaunchChanges(std::move(commands), ids), device_(device), list_(list) {}

    Status setSignalEvent(std::uint64_t id, ze_event_handle_t event);
    /// INVALID_SIZE if the number of events differs from before. `events` null: waits for nothing.
    Status setWaitEvents(std::uint64_t id, std::uint32_t count, const ze_event_handle_t* events);

    void keep() const;

    // For LaunchChanges.
    static std::shared_ptr<const LaunchOperation> launchOf(const Command& command);
    static void setLaunch(Command& command, std::shared_ptr<const LaunchOperation> launch);
    Status check(const LaunchOperation& launch) const;

  private:
    Device& device_;
    const ListKind list_;
    std::vector<Event::Claim> claims_;
};

}  // namespace zetl::emulator::driver
