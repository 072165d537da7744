#include "nvidia/driver/execution/command.h"

#include <algorithm>

namespace zetl::nvidia {

Result<CommandEvents> eventsOf(const EventUse& use, bool immediate) {
    CommandEvents events;
    events.tag = submissions::tag();
    if (use.waitCount > 0 && !use.waits)
        return refuse(ZE_RESULT_ERROR_INVALID_SIZE, "{} events to wait for, but no list of them", use.waitCount);
    for (std::uint32_t i = 0; i < use.waitCount; ++i) {
        auto event = find<Event>(use.waits[i]);
        if (!event) return event.code();
        events.waits.push_back(immediate ? (*event)->toWaitFor() : (*event)->toWaitForRecorded());
    }
    if (!use.signal) return events;
    auto event = find<Event>(use.signal);
    if (!event) return event.code();
    if (const Status bad = (*event)->checkSignalledBy(immediate); bad != ZE_RESULT_SUCCESS) return bad;
    auto state = immediate ? (*event)->toSignal() : (*event)->toSignalRecorded();
    if (!state) return state.code();
    events.signal = *std::move(state);
    return events;
}

bool CommandEvents::areRenewed() const noexcept {
    const auto isCounter = [](const auto& event) { return event->isCounterBased(); };
    return (signal && isCounter(signal)) || std::any_of(waits.begin(), waits.end(), isCounter);
}

Result<CommandEvents> CommandEvents::renewed() const {
    CommandEvents events = *this;
    for (auto& event : events.waits) event = event->toWaitFor();
    if (!signal) return events;
    auto state = signal->toSignal();
    if (!state) return state.code();
    events.signal = *std::move(state);
    return events;
}

bool CommandEvents::ready() const noexcept {
    if (after && !after->isComing()) return false;
    return std::all_of(waits.begin(), waits.end(), [](const auto& event) { return event->isComing(); });
}

}  // namespace zetl::nvidia
