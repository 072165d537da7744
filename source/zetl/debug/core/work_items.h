// The work-items of a hardware thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/stopped_thread.h"

namespace zetl::debugger {

struct WorkItem {
    unsigned lane = 0;
    bool active = false;
    Triple local{};
    Triple global{};
};

inline constexpr unsigned kMostLanes = 32;

/// The work-items of one thread, by lane.
struct WorkItems {
    Triple group{};
    bool known = false;  ///< otherwise only the group is known
    std::vector<WorkItem> items;

    const WorkItem* at(unsigned lane) const;
};

/// The work-items that the thread was started with, without ids.
WorkItems lanesOf(StoppedThread& thread);

/// "(3, 0, 0)".
std::string textOf(const Triple& id);

}  // namespace zetl::debugger
