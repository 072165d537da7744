// Which work-items a hardware thread is.
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
    bool known = false;  ///< else nobody knows more than the group
    std::vector<WorkItem> items;

    const WorkItem* at(unsigned lane) const;
};

/// Those that the thread was started with, whose ids are not known yet.
WorkItems lanesOf(StoppedThread& thread);

/// "(3, 0, 0)".
std::string textOf(const Triple& id);

}  // namespace zetl::debugger
