// A host thread that executes work-groups, and its data.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "emulator/machine/memory/quiescence.h"
#include "emulator/machine/tools/hardware_thread.h"

namespace zetl::emulator::machine {

class WorkGroup;

/// Groups that have ended completely, kept until the lock of turns is released.
using EndedGroups = std::list<std::unique_ptr<WorkGroup>>;

/// Used by one host thread at a time.
struct Worker {
    Worker(std::uint32_t number, Quiescence& quiescence);
    ~Worker();

    /// A thread state, preferably one that is still in the cache.
    std::unique_ptr<HardwareThread> take();
    void give(std::unique_ptr<HardwareThread> thread) noexcept;

    const std::uint32_t index;
    Quiescence::Reader reader;
    std::uint64_t turn;                      ///< number of its present turn, unlike that of any worker's other turn
    isa::HostFloatMode* hostMode = nullptr;  ///< in a turn: isa::Thread::hostMode of the threads
    isa::PendingAdditions additions;         ///< empty between threads
    std::vector<std::unique_ptr<HardwareThread>> spare;
    EndedGroups ended;
    bool restsShortly = false;  ///< it was called soon after it had begun to rest, or is about to be called
};

}  // namespace zetl::emulator::machine
