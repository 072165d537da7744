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

namespace {

/// Intel's driver refuses this, too: a counter-based event uses the list's own counter, which only in-order lists
/// have.
Status checkSignal(const Event& event, ListKind list) {
    if (!event.pool().counterBased()) return ZE_RESULT_SUCCESS;
    if (!list.inOrder)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "the event is counter-based and the list is not in order; create the list with {}, or an event "
                      "that is not counter-based",
                      list.immediate ? "ZE_COMMAND_QUEUE_FLAG_IN_ORDER" : "ZE_COMMAND_LIST_FLAG_IN_ORDER");
    const auto wanted =
        list.immediate ? ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE : ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE;
    if (event.signalledBy() & wanted) return ZE_RESULT_SUCCESS;
    return refuse(
        ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event is for {0} lists and the list is {1}; create the event with {2}",
        list.immediate ? "regular" : "immediate", list.immediate ? "immediate" : "regular",
        list.immediate ? "ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE" : "ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE");
}

}  // namespace

Result<Event::Claim> claimSignal(Command& command, ze_event_handle_t event, ListKind list) {
    command.signal = nullptr;
    command.renewsSignal = false;
    command.counter = nullptr;
    if (!event) return Event::Claim();
    const auto target = find<Event>(event);
    if (!target) return target.code();
    if (const Status bad = checkSignal(**target, list); bad != ZE_RESULT_SUCCESS) return bad;
    auto claim = (*target)->claim();
    command.signal = claim.state();
    command.renewsSignal = (*target)->pool().counterBased();
    command.counter = (*target)->counter();
    command.count = claim.number();
    return claim;
}

}  // namespace zetl::emulator::driver
