// What Memory keeps behind its lock. Included by memory*.cpp only.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "emulator/machine/memory.h"
#include "emulator/machine/memory/allocation_table.h"
#include "emulator/machine/memory/fork_guard.h"
#include "emulator/machine/memory/freed_ranges.h"

namespace zetl::emulator::machine {

struct Memory::State {
    /// The host's side of one allocation.
    struct Backing {
        std::uint64_t bytes = 0;  ///< whole pages
        int descriptor = -1;      ///< ours, if the pages are shared
        std::shared_ptr<MemoryBudget> budget;
        std::uint64_t charged = 0;
    };
    struct Pages {
        std::uint64_t begin = 0;
        std::uint64_t bytes = 0;
        Quiescence::Ticket ticket = 0;
    };
    /// Freed addresses that stay reserved, so that their next use is a fault and not somebody else's data.
    static constexpr std::size_t kQuarantined = 1024;

    ForkGuard fork;
    mutable std::mutex mutex;
    std::uint64_t nextId = 1;
    std::map<std::uint64_t, Backing> backings;                  // by begin
    std::map<std::uint64_t, Allocation> reservations;           // by begin
    std::map<std::uint64_t, PhysicalView> physicalAt;           // by begin of a mapped range
    std::set<std::pair<std::uint64_t, std::uint64_t>> leaving;  // [begin, end) being unmapped
    FreedRanges freed;
    std::vector<Pages> pending;    // freed, perhaps still in use by a worker
    std::deque<Pages> quarantine;  // without memory, oldest first

    void reap(const Quiescence& quiescence);
    const Allocation* reservationAt(std::uint64_t address) const;
    bool reserved(std::uint64_t begin, std::uint64_t end) const;
    bool leavingOverlaps(std::uint64_t begin, std::uint64_t end) const;
};

}  // namespace zetl::emulator::machine
