#include "core/work_items.h"

#include <fmt/format.h>

#include <algorithm>

namespace zetl::debugger {

const WorkItem* WorkItems::at(unsigned lane) const {
    const auto found = std::ranges::find(items, lane, &WorkItem::lane);
    return found == items.end() ? nullptr : &*found;
}

std::string textOf(const Triple& id) { return fmt::format("({}, {}, {})", id[0], id[1], id[2]); }

WorkItems lanesOf(StoppedThread& thread) {
    WorkItems result;
    result.group = thread.group();
    const auto dispatched = thread.dispatchedLanes();
    const auto active = thread.activeLanes();
    for (unsigned lane = 0; lane < kMostLanes; ++lane)
        if ((dispatched >> lane & 1) != 0) result.items.push_back({lane, (active >> lane & 1) != 0, {}, {}});
    return result;
}

}  // namespace zetl::debugger
