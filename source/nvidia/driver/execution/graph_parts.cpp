#include "nvidia/driver/execution/graph_parts.h"

#include <algorithm>

#include "nvidia/driver/execution/command_list.h"
#include "nvidia/driver/execution/graph.h"

namespace zetl::nvidia {

std::shared_ptr<Context> GraphParts::contextOf(const List& list) { return list.engine().context; }

driver::GraphPlace<Device> GraphParts::placeOf(const List& list) {
    return {list.engine().place.device, list.engine().ordinal};
}

bool GraphParts::mayRecord(const List& list) noexcept { return list.immediate() && !list.engine().synchronous(); }

namespace {

bool usesCounter(const EventUse& use) {
    const auto isCounter = [](ze_event_handle_t handle) {
        const auto event = handle ? live<Event>().find(handle) : nullptr;
        return event && event->isCounterBased();
    };
    return isCounter(use.signal) || (use.waits && std::any_of(use.waits, use.waits + use.waitCount, isCounter));
}

}  // namespace

Result<bool> recordIfCaptured(CommandList& list, const EventUse& use,
                              const std::function<Command(CommandEvents)>& make) {
    if (captures::graphOf(list) && usesCounter(use))
        return refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED, "graphs record no counter-based events");
    return captures::append(list, use, [&](const captures::Used&) -> Result<Command> {
        auto events = eventsOf(use);
        if (!events) return events.code();
        return make(*std::move(events));
    });
}

}  // namespace zetl::nvidia
