// Which work-items a hardware thread is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/kernel_table.h"
#include "core/memory.h"
#include "core/stopped_thread.h"

namespace zetl::debugger {

struct WorkItem {
    unsigned lane = 0;
    bool active = false;
    Triple local{};
    Triple global{};
};

/// The work-items of one thread, by lane. From the data of the launch, which lie in memory: the registers that held
/// them may be used for something else by now.
struct WorkItems {
    Triple group{};
    bool known = false;  ///< else the compiler passed nothing that says more than the group
    std::vector<WorkItem> items;

    const WorkItem* at(unsigned lane) const;
};

WorkItems workItemsOf(StoppedThread& thread, const KernelInfo* kernel, const Memory& memory);

/// "(3, 0, 0)".
std::string textOf(const Triple& id);

}  // namespace zetl::debugger
