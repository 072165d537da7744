#include "emulator/driver/execution/event_use.h"

#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

Status setWaits(Command& command, std::uint32_t count, const ze_event_handle_t* events, NullWaits nulls) {
    if (count > 0 && !events)
        return refuse(ZE_RESULT_ERROR_INVALID_SIZE, "{} events to wait for, but no list of them", count);
    std::vector<std::shared_ptr<SignalState>> states;  // grows one by one, since the caller's count may be wrong
    for (std::uint32_t i = 0; i < count; ++i) {
        states.emplace_back();
        if (!events[i] && nulls == NullWaits::keepTheirPlace) continue;
        const auto event = find<Event>(events[i]);
        if (!event) return event.code();
        states.back() = (*event)->state();
    }
    command.waits = std::move(states);
    return ZE_RESULT_SUCCESS;
}

Result<Event::Claim> claimSignal(Command& command, ze_event_handle_t event) {
    command.signal = nullptr;
    command.renewsSignal = false;
    if (!event) return Event::Claim();
    const auto target = find<Event>(event);
    if (!target) return target.code();
    auto claim = (*target)->claim();
    command.signal = claim.state();
    command.renewsSignal = (*target)->pool().counterBased();
    return claim;
}

}  // namespace zetl::emulator::driver
