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
        events.waits.push_back((*event)->toWaitFor());
    }
    if (!use.signal) return events;
    auto event = find<Event>(use.signal);
    if (!event) return event.code();
    if (!immediate && (*event)->isCounterBased())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event was created for immediate lists");
    auto state = (*event)->toSignal();
    if (!state) return state.code();
    events.signal = *std::move(state);
    return events;
}

bool CommandEvents::ready() const noexcept {
    if (after && !after->isComing()) return false;
    return std::all_of(waits.begin(), waits.end(), [](const auto& event) { return event->isComing(); });
}

}  // namespace zetl::nvidia
