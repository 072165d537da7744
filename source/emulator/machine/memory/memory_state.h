// Memory's data behind its lock. Included by memory*.cpp only.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/memory/allocation_table.h"
#include "emulator/machine/memory/fork_guard.h"
#include "emulator/machine/memory/freed_ranges.h"
#include "emulator/machine/memory/spare_pages.h"

namespace zetl::emulator::machine {

struct Memory::State {
    /// The host's side of one allocation.
    struct Backing {
        std::uint64_t bytes = 0;  ///< whole pages
        std::uint64_t tail = 0;   ///< bytes behind them, up to the end of the device's last page
        FileDescriptor file;      ///< if the pages are a file's; the tail never is
        MemoryCharge charge;
        bool spare = false;  ///< the file is one that the process could do without

        std::uint64_t mapped() const noexcept { return bytes + tail; }
    };
    struct Pages {
        std::uint64_t begin = 0;
        std::uint64_t bytes = 0;
        Quiescence::Ticket ticket = 0;
        bool isPrivate = false;  ///< not a file's
    };
    /// Freed addresses stay reserved for a while, so that their next use is a fault and does not reach other data.
    static constexpr std::size_t kQuarantined = 1024;

    ForkGuard fork;
    mutable Mutex mutex;
    std::uint64_t nextId ZETL_GUARDED_BY(mutex) = 1;
    std::map<std::uint64_t, Backing> backings ZETL_GUARDED_BY(mutex);                  // by begin
    std::uint64_t spareFiles ZETL_GUARDED_BY(mutex) = 0;                               // held by backings
    std::map<std::uint64_t, Allocation> reservations ZETL_GUARDED_BY(mutex);           // by begin
    std::map<std::uint64_t, PhysicalView> physicalAt ZETL_GUARDED_BY(mutex);           // by begin of a mapped range
    std::set<std::pair<std::uint64_t, std::uint64_t>> leaving ZETL_GUARDED_BY(mutex);  // [begin, end) being unmapped
    FreedRanges freed ZETL_GUARDED_BY(mutex);
    std::vector<Pages> pending ZETL_GUARDED_BY(mutex);  // freed, perhaps still in use by a worker
    SparePages spare ZETL_GUARDED_BY(mutex);
    std::deque<Pages> quarantine ZETL_GUARDED_BY(mutex);  // without memory, oldest first

    void reap(const Quiescence& quiescence) ZETL_REQUIRES(mutex);
    /// Puts a file behind a fresh allocation, so that an export need not move it. Left as it is if the host refuses.
    void makeShareable(std::uint64_t begin, Backing& backing) ZETL_REQUIRES(mutex);
    /// Puts a file behind an allocation and its content into it. False if the host refuses.
    bool moveToFile(std::uint64_t begin, Backing& backing) ZETL_REQUIRES(mutex);
    const Allocation* reservationAt(std::uint64_t address) const ZETL_REQUIRES(mutex);
    bool reserved(std::uint64_t begin, std::uint64_t end) const ZETL_REQUIRES(mutex);
    bool leavingOverlaps(std::uint64_t begin, std::uint64_t end) const ZETL_REQUIRES(mutex);
};

}  // namespace zetl::emulator::machine
