// The simulation of a dispatch on a tile.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/machine/model/memory_system.h"
#include "emulator/machine/model/subslice.h"

namespace zetl::emulator::machine {

/// Work-groups begin in the order of their numbers, each on the sub-slice that has had room for the longest time. While
/// many are left, some are dealt out beforehand. The simulation stops where a group that it needs is not known, and
/// goes on from there once it is: what it finds does not depend on how often it stops. Not thread-safe. Whatever throws
/// bad_alloc leaves it of no use.
class DispatchReplay {
  public:
    DispatchReplay(const DeviceProfile& profile, TileCache& cache);
    /// As `other` is now, with another cache.
    DispatchReplay(const DispatchReplay& other, TileCache& cache);
    DispatchReplay(const DispatchReplay&) = delete;
    DispatchReplay& operator=(const DispatchReplay&) = delete;

    /// The sub-slices that are simulated, of those that work: they have their part of what all of them share.
    struct Part {
        std::uint32_t subslices;
        std::uint32_t of;
    };
    /// A dispatch of so many groups begins, in the place of a former one.
    void begin(const GroupNeed& need, std::uint64_t groups, const Part& part);
    /// The next group, which is to stay until takeEnded() returns it; null if it has no trace.
    void add(const GroupTrace* group) { queue_.push_back(group); }
    /// No more groups are added.
    void close() noexcept;
    /// What it finds in memory from now on stands for so many times as much as the part of the sub-slices does, in
    /// parts of SharedLines::kWeight.
    void weigh(std::uint64_t weight) noexcept { memory_.weigh(weight); }
    /// Simulates as much as it can.
    void run();
    /// It stopped in the middle, at the end of what is known about a thread that goes on. It cannot go on.
    bool unknown() const noexcept { return unknown_; }
    std::vector<const GroupTrace*> takeEnded() noexcept;

    struct Growth {
        Counts counts;
        LineStalls stalls;
        std::uint64_t spread = 0;  ///< cycles between the ends of its sub-slices so far
    };
    /// What it found since the last call.
    Growth takeGrowth();
    const SharedLines& sharedLines() const noexcept { return memory_.sharedLines(); }
    KnownLines::Count asked() const noexcept { return memory_.asked(); }
    /// The instructions that it found, those that were estimated among them.
    const Executed& executed() const noexcept { return executed_; }

  private:
    void beginGroups();
    bool beginRound();
    std::size_t reserves() const noexcept;
    void deal(std::size_t each);
    const GroupTrace* takeNext() noexcept;
    std::uint64_t nextTime() const noexcept;
    std::uint64_t neededSince() const noexcept;
    std::uint64_t nextWindow() noexcept;
    void passOn();
    std::uint64_t left() const noexcept { return groups_ - begun_; }

    MemorySystem memory_;
    ReplayTally tally_;
    Subslice::Common common_;
    std::vector<ThreadRun> threads_;  ///< for those that are loaded
    std::deque<Subslice> subslices_;
    std::deque<const GroupTrace*> queue_;
    std::uint64_t groups_ = 0;
    bool stopsAtBatches_ = false;  ///< its batches have different weights
    std::uint64_t begun_ = 0;      ///< groups, or dealt out
    std::uint64_t window_ = 0;     ///< length of a round
    std::uint64_t roundEnd_ = 0;   ///< sub-slices run until then
    std::size_t first_ = 0;        ///< the sub-slice that runs first in this round
    std::size_t most_ = 0;         ///< groups that have been on a sub-slice at once
    bool unknown_ = false;
    Executed executed_;
    Growth taken_;
};

}  // namespace zetl::emulator::machine
