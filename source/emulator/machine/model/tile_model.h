// The timing model of a tile: its caches, its core clock, and its results.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "emulator/machine/model/dispatch_replay.h"
#include "emulator/machine/model/launch_memory.h"
#include "emulator/machine/model/sample_plan.h"
#include "emulator/machine/model/spare_traces.h"
#include "emulator/machine/model_detail.h"

namespace zetl::emulator::machine {

/// Thread-safe. Dispatches are replayed piece by piece, each as if it were alone, but for what the second-level cache
/// keeps. The result depends on the traces, and on the dispatches before.
class TileModel {
  public:
    /// `findHome`: any thread may call it while work is replayed.
    TileModel(const DeviceProfile& profile, std::uint64_t codeBase, LineNumbers::FindHome findHome);

    /// A tool reads the model's counters; the first of several finds cold caches.
    void acquire(ModelDetail detail);
    void release(ModelDetail detail) noexcept;
    bool collecting() const noexcept { return holders_.load(std::memory_order_acquire) != 0; }
    /// What the most demanding of them wants.
    ModelDetail detail() const noexcept {
        return full_.load(std::memory_order_acquire) != 0 ? ModelDetail::full : ModelDetail::sampled;
    }

    const DeviceProfile& profile() const noexcept { return profile_; }

    using Replay = std::unique_ptr<DispatchReplay>;
    /// Throws bad_alloc.
    Replay beginReplay(const GroupNeed& need, std::uint64_t groups, const DispatchReplay::Part& part);
    /// It is over, and its memory serves others.
    void keep(Replay replay) noexcept;
    struct Growth {
        Counts counts;
        StallsByAddress stalls;
        std::uint64_t cycles = 0;  ///< without their weight
        std::uint64_t spread = 0;  ///< DispatchReplay::Growth::spread
    };
    /// Replays what it can. Returns the growth of what is known about the dispatch, with these weights. Throws
    /// bad_alloc.
    Growth replay(const void* dispatch, DispatchReplay& replay, const SamplePlan::Weights& weights);
    /// Finds out what countsSoFar() and stalls() report about a dispatch until more of it is replayed: goes on as if
    /// these were its next groups, which executed so many instructions. Returns true if it reached the end of the
    /// traces, and no more can be found out. Throws bad_alloc.
    bool preview(const void* dispatch, const DispatchReplay& soFar, std::span<const GroupTrace* const> groups,
                 const SamplePlan::Weights& weights);
    /// The dispatch meanwhile executed so many instructions beyond the traces.
    void goOn(const void* dispatch, std::uint64_t executed);
    /// No more will be replayed: the results about what cannot be replayed are final.
    void end(const void* dispatch) noexcept;

    /// Recordings for groups of any dispatch.
    SpareTraces& spareTraces() noexcept { return spareTraces_; }
    /// Launches that were modelled while tools have collected without a break.
    LaunchMemory& launches() noexcept { return launches_; }
    /// A dispatch that executed so many instructions took over what was found about one like it. Throws bad_alloc.
    void takeOver(const LaunchFindings& findings, std::uint64_t executed);
    /// A launch, whose threads spent their cycles there, waited for others that worked beside it, too: so long for each
    /// reason, in cycles of threads. Throws bad_alloc.
    void addWaits(const StallsByAddress& launch, const StallCycles& waits);

    /// Work for which the model drives the clock begins and ends, at these host nanoseconds.
    void beginWork(std::uint64_t now);
    void endWork(std::uint64_t now);
    /// The host nanoseconds during which there was such work.
    std::uint64_t workTime(std::uint64_t now) const;
    /// The number of dispatches at work.
    std::uint32_t working() const;

    /// Where threads spent their cycles so far, by address. While kernels run, each call makes the next answer more
    /// complete.
    std::vector<InstructionStalls> stalls() const;
    /// How often stalls() has grown by what is final.
    std::uint64_t stallsFound() const noexcept { return stallsFound_.load(std::memory_order_acquire); }
    /// What is known about batches that go on, until they are replayed, or about those that never will be. The calling
    /// thread takes a look itself now and then.
    Counts countsSoFar() const;
    /// The part of these cycles that is a dispatch's.
    std::uint64_t cyclesAhead(const void* dispatch) const;
    /// How often a tool has looked.
    std::uint64_t looks() const noexcept { return looks_.load(std::memory_order_relaxed); }

  private:
    struct Preview {
        Counts counts;
        StallsByAddress stalls;
        std::uint64_t executed = 0;
        std::uint64_t replayed = 0;
    };
    StallsByAddress byAddress(const LineStalls& stalls, const SamplePlan::Weight& weight) const;
    static void add(StallsByAddress& sum, const Preview& part);

    const DeviceProfile profile_;
    const std::uint64_t codeBase_;
    std::atomic<std::uint32_t> holders_{0};
    std::atomic<std::uint32_t> full_{0};  ///< of these, those that want every group replayed

    LaunchMemory launches_;
    SpareTraces spareTraces_;
    Mutex mutex_;  ///< for the replay
    TileCache cache_ ZETL_GUARDED_BY(mutex_);
    std::vector<Replay> spare_ ZETL_GUARDED_BY(mutex_);

    mutable Mutex stallsMutex_;
    std::atomic<std::uint64_t> stallsFound_{0};
    StallsByAddress stalls_ ZETL_GUARDED_BY(stallsMutex_);
    std::map<const void*, Preview> previews_ ZETL_GUARDED_BY(stallsMutex_);  ///< by dispatch
    Counts cut_ ZETL_GUARDED_BY(stallsMutex_);                               ///< of dispatches that were cut short
    mutable std::atomic<std::uint64_t> looks_{0};
    mutable std::atomic<std::uint64_t> countsAsked_{0};  ///< host nanoseconds at which countsSoFar() last looked

    mutable Mutex workMutex_;
    std::uint32_t working_ ZETL_GUARDED_BY(workMutex_) = 0;
    std::uint64_t workSince_ ZETL_GUARDED_BY(workMutex_) = 0;
    std::uint64_t workTime_ ZETL_GUARDED_BY(workMutex_) = 0;
};

}  // namespace zetl::emulator::machine
