// A dispatch on its way through the machine.
#pragma once

#include <array>
#include <atomic>
#include <list>
#include <memory>

#include "base/mutex.h"
#include "emulator/machine/dispatch.h"
#include "emulator/machine/execution/slot_map.h"
#include "emulator/machine/memory/fork_guard.h"
#include "emulator/machine/memory/indirect_arena.h"
#include "emulator/machine/memory/scratch_area.h"
#include "emulator/machine/model/dispatch_model.h"
#include "emulator/machine/tools/tally.h"
#include "emulator/machine/tools/turns.h"

namespace zetl::emulator::machine {

class TileRuntime;
class WarmUp;
class WorkGroup;

class ActiveDispatch final : public Dispatch {
  public:
    ActiveDispatch(TileRuntime& tile, Launch launch, Completion completion);
    ~ActiveDispatch() override;

    std::uint64_t id() const noexcept override { return id_; }
    const Launch& launch() const noexcept override { return launch_; }
    bool done() const noexcept override;
    bool wait(std::chrono::nanoseconds timeout) const override;
    void wait() const override;
    void cancel() noexcept override;
    /// Without the mutex: it is final once the dispatch is done.
    const Fault& fault() const noexcept override ZETL_NOT_ANALYSED;
    std::uint64_t startTicks() const noexcept override { return start_; }
    std::uint64_t endTicks() const noexcept override { return end_; }
    const Counts& counts() const noexcept override;

    // For the machine.

    TileRuntime& tile() const noexcept { return tile_; }
    /// Hardware threads of one group, and what a group needs of a sub-slice.
    const SlotMap::Need& need() const noexcept { return need_; }
    /// Work-items of one group.
    std::uint32_t groupItems() const noexcept { return items_; }

    /// Hardware threads of all its groups.
    std::uint64_t threads() const noexcept { return total_ * need_.threads; }

    /// Null: its kernel is host code, or never will be. Set before its first group begins.
    std::shared_ptr<WarmUp> warmUp;
    /// Instructions, in rounds of groups that ended while it was not host code.
    std::atomic<std::uint64_t> executedBefore{0};
    /// Before its first group begins: the model follows it.
    void follow(TileModel& tile, std::shared_ptr<void> collecting);
    /// Null: nobody collected when it came.
    DispatchModel* model() const noexcept { return model_.get(); }
    /// Of a group, in the order in which they are taken.
    std::uint64_t numberOf(const Extent& group) const noexcept;

    /// Puts the argument block in memory. False: no room now.
    bool bind(IndirectArena& arena, ScratchAreas& scratch, std::uint64_t instructionBase);
    std::span<std::byte> payload() const noexcept { return block_.bytes(); }
    const ScratchAreas::Area& scratch() const noexcept { return scratch_; }
    /// SBA registers as its threads see them.
    std::span<const std::uint64_t> stateBases() const noexcept { return stateBases_; }

    /// The next group's id; nothing if all are taken, it is stopping, or the model admits no more now. Thread-safe.
    std::optional<Extent> takeGroup() noexcept;
    /// The caller is about to take one: the counter, which another worker wrote last, comes to its processor meanwhile.
    void expectTake() noexcept { asm volatile("prefetchw %0" : : "m"(next_)); }
    /// Groups in the order in which they are taken, by number.
    struct GroupRange {
        std::uint64_t next = 0;
        std::uint64_t end = 0;
        bool empty() const noexcept { return next == end; }
    };
    /// As takeGroup(), but as many at once as leave enough for the others: for who runs groups of some hundred
    /// nanoseconds, none of which waits for another.
    GroupRange takeGroups() noexcept;
    Extent groupAt(std::uint64_t number) const noexcept;
    /// With how many of those behind it, itself included, it lies in the first dimension.
    std::uint32_t groupsInLine(const Extent& group) const noexcept;
    bool exhausted() const noexcept { return stopping() || next_.load(std::memory_order_relaxed) >= total_; }
    /// The model admits no further group now: it wants no place.
    bool heldBack() const noexcept { return model_ && !model_->admits(next_.load(std::memory_order_relaxed)); }
    bool empty() const noexcept { return total_ == 0; }

    /// Keeps the first fault and makes every group of it end.
    void fail(Fault fault) noexcept;
    /// The same because the host has no memory.
    void failForMemory() noexcept;
    bool stopping() const noexcept { return stopping_.load(std::memory_order_relaxed); }

    /// What the worker counts for it. Called by that worker only.
    Tally& tally(std::uint32_t worker);
    /// Sum over workers, while it runs or after.
    Counts readCounts() const;
    std::vector<Tally::LineCounts> readLines() const;
    /// All lines, once it is done: for count(). Then there are none.
    std::vector<Tally::LineCounts> takeLines();

    /// First group began. Once.
    void begin(std::uint64_t ticks) noexcept;
    bool begun() const noexcept { return begun_.load(std::memory_order_relaxed); }
    /// Makes it done and tells the waiters; the caller then calls complete() without locks.
    void finish(std::uint64_t ticks) noexcept;
    void complete();
    /// Later, since it takes a while where many workers executed it: what counts() answers. Once.
    void count(const std::vector<Tally::LineCounts>& lines) noexcept;

    std::uint32_t residentGroups ZETL_GUARDED_BY(kTurns) = 0;  ///< begun and not ended, displaced ones included
    bool bound ZETL_GUARDED_BY(kTurns) = false;                ///< bind() was done
    bool lasting ZETL_GUARDED_BY(kTurns) = false;              ///< a group of it did not end in its first turn
    /// The submitting thread is about to give it turns: no worker is called for the first of its groups.
    mutable bool helped ZETL_GUARDED_BY(kTurns) = false;
    /// Perhaps: it has one place until its first turn, a short one, is over.
    bool small ZETL_GUARDED_BY(kTurns) = false;
    /// Host nanoseconds: its last group got a place, or it came.
    std::uint64_t waitingSince ZETL_GUARDED_BY(kTurns) = 0;
    std::list<WorkGroup*> queued ZETL_GUARDED_BY(kTurns);  ///< the scheduler's: groups of it that want a turn
    /// Moves to where it waits for its turn.
    std::list<ActiveDispatch*> turnTicket ZETL_GUARDED_BY(kTurns){this};

  private:
    template <class F>
    void eachTally(F&& f) const;
    Counts countsWith(const std::vector<Tally::LineCounts>& lines) const;
    std::uint64_t issueCycles(const Counts& portCycles) const noexcept;

    TileRuntime& tile_;
    const std::uint64_t id_;
    Launch launch_;
    Completion completion_;
    SlotMap::Need need_;
    std::uint32_t items_ = 0;
    std::uint64_t total_ = 0;
    std::atomic<bool> stopping_{false};
    std::atomic<bool> begun_{false};

    IndirectArena::Block block_;
    ScratchAreas::Area scratch_;
    std::array<std::uint64_t, 9> stateBases_{};

    const std::uint32_t workers_;
    const std::uint32_t slots_;  // of workers
    std::unique_ptr<std::atomic<Tally*>[]> tallies_;
    std::unique_ptr<DispatchModel> model_;

    ForkGuard fork_;
    mutable Mutex mutex_;
    mutable Condition finished_;
    std::atomic<bool> done_{false};
    Fault fault_ ZETL_GUARDED_BY(mutex_);
    // written before done_
    std::uint64_t start_ = 0;
    std::uint64_t end_ = 0;
    std::atomic<bool> counted_{false};
    Counts counts_;  // written before counted_

    // Every worker writes it for each group; what all read for each thread stays out of its lines, which processors
    // fetch in pairs.
    alignas(128) std::atomic<std::uint64_t> next_{0};
};

}  // namespace zetl::emulator::machine
