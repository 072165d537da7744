// The timing model of a tile: its caches, its core clock, and what it has found out.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "emulator/machine/model/memory_system.h"
#include "emulator/machine/model/subslice.h"

namespace zetl::emulator::machine {

/// Thread-safe. Batches of work-groups are replayed one after the other; what comes out depends on their traces and on
/// the batches before, on nothing else.
class TileModel {
  public:
    /// Which addresses are the host's memory: called while work is replayed, by any thread.
    TileModel(const DeviceProfile& profile, std::uint64_t codeBase, LineNumbers::IsHost isHost);

    /// Somebody reads the model's counters: caches are cold for the first of several.
    void acquire();
    void release() noexcept { holders_.fetch_sub(1, std::memory_order_acq_rel); }
    bool collecting() const noexcept { return holders_.load(std::memory_order_acquire) != 0; }

    const DeviceProfile& profile() const noexcept { return profile_; }

    /// Groups in the order of their numbers; null: there is no trace of it. `first`: of its dispatch. What the batch
    /// counts. Throws bad_alloc.
    Counts replay(std::span<const std::unique_ptr<GroupTrace>> batch, std::uint64_t firstIndex, const GroupNeed& need,
                  bool first);

    /// Work of which the clock is the model's begins and ends, at these host nanoseconds.
    void beginWork(std::uint64_t now);
    void endWork(std::uint64_t now);
    /// Host nanoseconds during which there was such work.
    std::uint64_t workTime(std::uint64_t now) const;

    /// Where threads spent their cycles so far, by address.
    std::vector<InstructionStalls> stalls() const;

  private:
    std::uint64_t simulate(std::deque<Subslice>& subslices) ZETL_REQUIRES(mutex_);
    void keep(const LineStalls& stalls, std::uint64_t executed, std::uint64_t replayed);

    const DeviceProfile profile_;
    const std::uint64_t codeBase_;
    std::atomic<std::uint32_t> holders_{0};

    Mutex mutex_;  ///< of the replay
    MemorySystem memory_ ZETL_GUARDED_BY(mutex_);
    std::uint64_t clock_ ZETL_GUARDED_BY(mutex_) = 0;

    mutable Mutex stallsMutex_;
    std::map<std::uint64_t, StallCycles> stalls_ ZETL_GUARDED_BY(stallsMutex_);

    mutable Mutex workMutex_;
    std::uint32_t working_ ZETL_GUARDED_BY(workMutex_) = 0;
    std::uint64_t workSince_ ZETL_GUARDED_BY(workMutex_) = 0;
    std::uint64_t workTime_ ZETL_GUARDED_BY(workMutex_) = 0;
};

}  // namespace zetl::emulator::machine
