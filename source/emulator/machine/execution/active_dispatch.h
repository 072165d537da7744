// A dispatch that the machine executes.
#pragma once

#include <array>
#include <atomic>
#include <list>
#include <memory>

#include "base/mutex.h"
#include "emulator/machine/dispatch.h"
#include "emulator/machine/execution/slot_map.h"
#include "emulator/machine/execution/turn_order.h"
#include "emulator/machine/memory/fork_guard.h"
#include "emulator/machine/memory/indirect_arena.h"
#include "emulator/machine/memory/scratch_area.h"
#include "emulator/machine/model/dispatch_model.h"
#include "emulator/machine/model/work_schedule.h"
#include "emulator/machine/tools/tally.h"
#include "emulator/machine/tools/turns.h"

namespace zetl::emulator::machine {

struct KernelStart;
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
    /// Does not take the mutex: the fault is final once the dispatch is done.
    const Fault& fault() const noexcept override ZETL_NOT_ANALYSED;
    std::uint64_t startTicks() const noexcept override { return start_; }
    std::uint64_t endTicks() const noexcept override { return end_; }
    const Counts& counts() const noexcept override;
    std::uint64_t workEnd() const noexcept override { return workEnd_.load(std::memory_order_acquire); }

    // For the machine.

    /// Among the dispatches of the machine, for its order of turns.
    std::uint64_t number() const noexcept { return number_; }
    TileRuntime& tile() const noexcept { return tile_; }
    /// The hardware threads of one group, and what a group needs from a sub-slice.
    const SlotMap::Need& need() const noexcept { return need_; }
    /// The number of work-items of one group.
    std::uint32_t groupItems() const noexcept { return items_; }

    /// The number of hardware threads of all its groups.
    std::uint64_t threads() const noexcept { return total_ * need_.threads; }

    /// How its threads begin, unless the code is changed or translated since. Set before its first group begins.
    std::unique_ptr<const KernelStart> start;
    /// Null if its kernel is host code, or never will be. Set before its first group begins.
    std::shared_ptr<WarmUp> warmUp;
    /// Instructions in rounds of groups that ended before the kernel was host code.
    std::atomic<std::uint64_t> executedBefore{0};
    /// Bits of isa::Thread::idle with which its threads begin. Observers set theirs.
    std::atomic<std::uint8_t> idle{0};
    /// The model follows it, its first turn began, and readers know.
    std::atomic<bool> atWork{false};
    /// Makes the model follow it. Call it before its first group begins.
    void follow(TileModel& tile, std::shared_ptr<void> collecting, ModelDetail detail);
    /// What the model finds is for launches like it, too.
    bool teaches = false;
    /// Lets it take over what the model found about a launch like it. Call it before its first group begins.
    void takeOver(std::shared_ptr<const LaunchFindings> findings) noexcept { findings_ = std::move(findings); }
    /// What it takes over; null if the model follows it, or no tool collects.
    const LaunchFindings* findings() const noexcept { return findings_.get(); }
    /// The model counts for it, in either way.
    bool isCollected() const noexcept { return model_ || findings_; }
    /// Null if no tool collected when it was submitted, or if it takes over what is known.
    DispatchModel* model() const noexcept { return model_.get(); }
    /// What one of its groups needs, for the model.
    GroupNeed groupNeed(const DeviceProfile& profile) const noexcept;
    /// Its way to its place in the model's time.
    enum class Place : std::uint8_t {
        none,    ///< it executes, or is replayed
        wanted,  ///< it has ended but for that
        later,   ///< it is done, and gets its place once launches before it have theirs
        taken,
        counted,  ///< and it leaves the books
    };
    std::atomic<Place> inTime{Place::none};
    /// It wants its place: since these host nanoseconds, and it took this alone. Set before `inTime`.
    std::uint64_t endsSince = 0;
    WorkSchedule::Work work{};
    bool completes = false;  ///< complete() was called, or will be; the tile guards it
    /// It took its place: what it waited for others counts, too.
    void place(const WorkSchedule::Placement& placement, const Counts& waits) noexcept;
    /// It is done without its place, and what follows it begins then.
    void endAt(WorkSchedule::Time end) noexcept { workEnd_.store(end, std::memory_order_release); }
    /// The number of a group, in the order in which groups are taken.
    std::uint64_t numberOf(const Extent& group) const noexcept;

    /// Puts the argument block in memory. Returns false if there is no room now.
    bool bind(IndirectArena& arena, ScratchAreas& scratch, std::uint64_t instructionBase);
    std::span<std::byte> payload() const noexcept { return block_.bytes(); }
    const ScratchAreas::Area& scratch() const noexcept { return scratch_; }
    /// The SBA registers that its threads see.
    std::span<const std::uint64_t> stateBases() const noexcept { return stateBases_; }

    /// The next group's id; nothing if all are taken, it is stopping, or the model admits no more now. Thread-safe.
    std::optional<Extent> takeGroup() noexcept;
    /// The timing model follows groups in their usual order.
    bool takesInOrder() const noexcept { return (!order_.isLastFirst() && !order_.isShuffled()) || model_; }
    /// The caller is about to take one: fetches the counter, which another worker wrote last, to its processor.
    void expectTake() noexcept { asm volatile("prefetchw %0" : : "m"(next_)); }
    /// Groups in the order in which they are taken, by number.
    struct GroupRange {
        std::uint64_t next = 0;
        std::uint64_t end = 0;
        bool empty() const noexcept { return next == end; }
    };
    /// Like takeGroup(), but takes as many at once as leave enough for the others, and no more than that. If several
    /// are taken, none may wait for another.
    GroupRange takeGroups(std::uint64_t most) noexcept;
    /// Whether there are so many groups, for several workers, that takeGroups() gives more than one.
    bool isLarge() const noexcept;
    /// None of its groups waits for another. Set before its first group begins.
    bool endsAlone = false;
    Extent groupAt(std::uint64_t number) const noexcept;
    /// The number of groups from this one on, itself included, along the first dimension.
    std::uint32_t groupsInLine(const Extent& group) const noexcept;
    bool exhausted() const noexcept { return stopping() || next_.load(std::memory_order_relaxed) >= total_; }
    /// The model admits no further group now, so the dispatch wants no place.
    bool heldBack() const noexcept { return model_ && !model_->admits(next_.load(std::memory_order_relaxed)); }
    bool empty() const noexcept { return total_ == 0; }

    /// Keeps the first fault and makes all groups of the dispatch end.
    void fail(Fault fault) noexcept;
    /// The same, because the host has no memory.
    void failForMemory() noexcept;
    bool stopping() const noexcept { return stopping_.load(std::memory_order_relaxed); }

    /// The worker's counts for it. Only that worker calls it.
    Tally& tally(std::uint32_t worker);
    /// The sum over workers, while it runs or afterwards.
    Counts readCounts() const;
    std::vector<Tally::LineCounts> readLines() const;
    /// Takes out all lines, once it is done, for count().
    std::vector<Tally::LineCounts> takeLines();

    /// The first group has begun. Called once.
    void begin(std::uint64_t ticks) noexcept;
    bool begun() const noexcept { return begun_.load(std::memory_order_relaxed); }
    /// Makes it done and wakes the waiters; the caller then calls complete() without locks.
    void finish(std::uint64_t ticks) noexcept;
    void complete();
    /// Computes the result of counts(). Called later, and once, since it takes a while if many workers executed it.
    void count(const std::vector<Tally::LineCounts>& lines) noexcept;

    std::uint32_t residentGroups ZETL_GUARDED_BY(kTurns) = 0;  ///< begun and not ended, displaced ones included
    bool bound ZETL_GUARDED_BY(kTurns) = false;                ///< bind() was done
    bool lasting ZETL_GUARDED_BY(kTurns) = false;              ///< one of its groups did not end in its first turn
    /// The submitting thread is about to give it turns: no worker is called for the first of its groups.
    mutable bool helped ZETL_GUARDED_BY(kTurns) = false;
    /// A guess: it has one place until its first turn, a short one, is over.
    bool small ZETL_GUARDED_BY(kTurns) = false;
    /// Host nanoseconds at which its last group got a place, or at which it was submitted.
    std::uint64_t waitingSince ZETL_GUARDED_BY(kTurns) = 0;
    std::list<WorkGroup*> queued ZETL_GUARDED_BY(kTurns);  ///< the scheduler's: its groups that want a turn
    std::uint64_t turns ZETL_GUARDED_BY(kTurns) = 0;       ///< the scheduler's: those whose group was drawn
    /// Moves to the list in which it waits for its turn.
    std::list<ActiveDispatch*> turnTicket ZETL_GUARDED_BY(kTurns){this};

  private:
    std::uint64_t taken(std::uint64_t index) const noexcept;
    std::uint64_t shareOf(std::uint64_t groups) const noexcept;
    bool waitAWhile() const;

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
    const TurnOrder& order_;
    const std::uint64_t number_;
    std::unique_ptr<std::atomic<Tally*>[]> tallies_;
    std::unique_ptr<DispatchModel> model_;
    std::shared_ptr<const LaunchFindings> findings_;

    ForkGuard fork_;
    mutable Mutex mutex_;
    mutable Condition finished_;
    std::atomic<bool> done_{false};
    Fault fault_ ZETL_GUARDED_BY(mutex_);
    // written before done_
    std::uint64_t start_ = 0;
    std::uint64_t end_ = 0;
    std::atomic<std::uint64_t> workEnd_{0};
    Counts waits_ ZETL_GUARDED_BY(mutex_);
    std::atomic<bool> counted_{false};
    Counts counts_;  // written before counted_

    // Every worker writes it for each group. Data that all read for each thread stay out of its cache lines, which
    // processors fetch in pairs.
    alignas(128) std::atomic<std::uint64_t> next_{0};
};

}  // namespace zetl::emulator::machine
