#include "nvidia/driver/execution/command.h"

#include <algorithm>
#include <utility>

#include "nvidia/driver/program/recorded_launch.h"

namespace zetl::nvidia {

RecordedWork::RecordedWork(std::shared_ptr<const RecordedLaunch> launch)
    : launch_(std::move(launch)), submit_([own = launch_](CUstream stream) { return own->submit(stream); }) {}

Result<std::vector<std::shared_ptr<Event>>> waitsOf(std::uint32_t count, const ze_event_handle_t* waits, bool immediate,
                                                    bool nullIsNone) {
    if (count > 0 && !waits)
        return refuse(ZE_RESULT_ERROR_INVALID_SIZE, "{} events to wait for, but no list of them", count);
    std::vector<std::shared_ptr<Event>> all;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!waits[i] && nullIsNone) continue;
        auto event = find<Event>(waits[i]);
        if (!event) return event.code();
        all.push_back(immediate ? (*event)->toWaitFor() : (*event)->toWaitForRecorded());
    }
    return all;
}

Result<std::shared_ptr<Event>> signalOf(ze_event_handle_t signal, bool immediate) {
    if (!signal) return std::shared_ptr<Event>();
    auto event = find<Event>(signal);
    if (!event) return event.code();
    if (const Status bad = (*event)->checkSignalledBy(immediate); bad != ZE_RESULT_SUCCESS) return bad;
    return immediate ? (*event)->toSignal() : (*event)->toSignalRecorded();
}

Result<CommandEvents> eventsOf(const EventUse& use, bool immediate) {
    CommandEvents events;
    events.tag = submissions::tag();
    events.waitPlaces = use.waitCount;
    auto waits = waitsOf(use.waitCount, use.waits, immediate);
    if (!waits) return waits.code();
    events.waits = *std::move(waits);
    auto signal = signalOf(use.signal, immediate);
    if (!signal) return signal.code();
    events.signal = *std::move(signal);
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
