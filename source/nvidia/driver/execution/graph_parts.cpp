#include "nvidia/driver/execution/graph_parts.h"

#include "nvidia/driver/execution/command_list.h"
#include "nvidia/driver/execution/graph.h"

namespace zetl::nvidia {

std::shared_ptr<Context> GraphParts::contextOf(const List& list) { return list.engine().context; }

driver::GraphPlace<Device> GraphParts::placeOf(const List& list) {
    return {list.engine().place.device, list.engine().ordinal};
}

bool GraphParts::mayRecord(const List& list) noexcept { return list.immediate() && !list.engine().synchronous(); }

Result<bool> recordIfCaptured(CommandList& list, const EventUse& use,
                              const std::function<Command(CommandEvents)>& make) {
    return captures::append(list, use, [&](const captures::Used&) -> Result<Command> {
        auto events = eventsOf(use);
        if (!events) return events.code();
        return make(*std::move(events));
    });
}

}  // namespace zetl::nvidia
