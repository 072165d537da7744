#include "emulator/driver/execution/mutation.h"

#include "emulator/driver/device/device.h"
#include "emulator/driver/execution/event_use.h"
#include "emulator/driver/shared_parts.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

std::shared_ptr<const LaunchOperation> Mutation::launchOf(const Command& command) {
    return std::dynamic_pointer_cast<const LaunchOperation>(command.operation);
}

void Mutation::setLaunch(Command& command, std::shared_ptr<const LaunchOperation> launch) {
    command.operation = std::move(launch);
}

Status Mutation::check(const LaunchOperation& launch) const { return launch.check(device_); }

Status Mutation::setSignalEvent(std::uint64_t id, ze_event_handle_t event) {
    const auto target = command(id, ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT);
    if (!target) return target.code();
    auto claim = claimSignal(**target, event, list_);
    if (!claim) return claim.code();
    claims_.push_back(*std::move(claim));
    return ZE_RESULT_SUCCESS;
}

void Mutation::keep() const {
    for (const Event::Claim& claim : claims_) claim.keep();
}

Status Mutation::setWaitEvents(std::uint64_t id, std::uint32_t count, const ze_event_handle_t* events) {
    const auto target = command(id, ZE_MUTABLE_COMMAND_EXP_FLAG_WAIT_EVENTS);
    if (!target) return target.code();
    const std::size_t former = (*target)->waits.size();
    const Status bad = zetl::driver::checkWaitCount(events, count, former);
    if (bad != ZE_RESULT_SUCCESS) return bad;
    const std::vector<ze_event_handle_t> none(former);
    return setWaits(**target, static_cast<std::uint32_t>(former), events ? events : none.data(),
                    NullWaits::keepTheirPlace);
}

}  // namespace zetl::emulator::driver
