// A tile at work: slots, dispatches, resident work-groups.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "emulator/machine/execution/scheduler.h"
#include "emulator/machine/execution/slot_map.h"
#include "emulator/machine/execution/thread_environment.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory/scratch_area.h"
#include "emulator/machine/model/tile_model.h"
#include "emulator/machine/model/work_schedule.h"
#include "emulator/machine/tools/thread_control.h"
#include "emulator/machine/tools/usage_report.h"

namespace zetl::emulator::machine {

class DeviceRuntime;
class Overruns;
class TraceRecorder;

class TileRuntime final : public Tile, private TilePlaces {
  public:
    using DispatchPointer = std::shared_ptr<ActiveDispatch>;
    using DispatchList = std::list<DispatchPointer>;  // entries move from list to list, which takes no memory

    TileRuntime(DeviceRuntime& device, std::uint32_t index, Scheduler& scheduler, Memory& memory);
    ~TileRuntime() override;

    Device& device() const noexcept override;
    std::uint32_t index() const noexcept override { return index_; }
    std::shared_ptr<Dispatch> submit(Launch launch, Completion completion) override;
    std::shared_ptr<ExpectedWork> expect(std::uint64_t submission, std::uint64_t from) override;
    Snapshot counters() const override;
    Snapshot countersSoFar() const override;
    std::vector<Snapshot> settledSince(std::uint64_t settledAt) const override;
    std::shared_ptr<void> collect(ModelDetail detail) override;
    std::vector<InstructionStalls> stalls() const override { return model_.stalls(); }
    std::uint64_t stallsFound() const noexcept override { return model_.stallsFound(); }
    void listen(Listening to, std::shared_ptr<CountsListener> listener) override;
    std::chrono::nanoseconds busyTime() const override;
    std::vector<InstructionCount> instructionCounts() const override;
    Control& control() noexcept override { return control_; }

    Memory& memory() const noexcept { return memory_; }
    Scheduler& scheduler() const noexcept { return scheduler_; }
    ThreadEnvironment& environment() noexcept { return environment_; }
    Overruns& overruns() const noexcept;
    TraceRecorder& recorder() const noexcept;
    std::uint64_t codeBase() const noexcept { return codeBase_; }

    // For workers.

    /// Translates the code that threads of the launch reach to host code, if translation is on.
    void translate(const Launch& launch) const;
    void beginTurn(WorkGroup& group) noexcept ZETL_REQUIRES(kTurns);
    /// First step after a turn, without locks. If memory runs out, the dispatch fails.
    void followTurn(WorkGroup& group, TurnEnd end) noexcept;
    /// Second step; keeping the books needs no memory. Returns the dispatches of which nothing is left to run.
    DispatchList endTurn(WorkGroup& group, TurnEnd end, EndedGroups& ended) noexcept ZETL_REQUIRES(kTurns);
    /// Last step, for those dispatches, without locks: makes them done.
    void retire(const DispatchList& finished) noexcept;

    /// Adds what a finished dispatch executed to the totals, unless another thread has done so.
    void settle(const ActiveDispatch& dispatch) noexcept;
    /// The same for one whose counts are wanted, so that it waits for its place no longer.
    void settleNow(const ActiveDispatch& dispatch) noexcept;
    /// How long a dispatch that has ended waits to be done for others that may come before it in the model's time.
    static constexpr std::chrono::milliseconds kPatience{100};
    /// Those that have waited long enough are done, and get their places later. Called now and then by threads that
    /// wait for a dispatch. Without locks.
    void placeOverdue() noexcept;
    /// Some dispatch waits like that.
    bool someEnded() const noexcept { return ended_.load(std::memory_order_acquire) != 0; }
    /// Gives places to those before which nobody comes any more, and makes done what need not wait.
    void placeEnded() noexcept;
    /// A dispatch begins, or the model has caught up with it: until the next call, readers of what goes on see the
    /// counts of this moment.
    void settleReading() noexcept;
    /// The same before the first group of a dispatch, which the model follows, executes anything.
    void settleBegin(ActiveDispatch& dispatch) noexcept;
    /// Another dispatch, or a debugger that holds the whole tile, wants no further group in this place.
    bool placeIsWanted() const noexcept { return placeWanted_.load(std::memory_order_relaxed); }
    /// A debugger may ask for a halt, which waits for the threads that execute.
    bool isDebugged() const noexcept { return control_.attached(); }
    /// Stops those threads of the group, in its turn, that the debugger asked for.
    void haltThreads(WorkGroup& group) { control_.haltThreads(group); }
    /// The same when the group has ended and its place may go to another.
    void haltBetween(WorkGroup& group) { control_.haltBetween(group); }
    void stopAtBreakpoint(WorkGroup& group, HardwareThread& thread) { control_.stopAtBreakpoint(group, thread); }
    Watchpoints& watchpoints() noexcept { return watchpoints_; }
    Conditions& conditions() noexcept { return conditions_; }
    bool stopAtWatch(WorkGroup& group, HardwareThread& thread) { return control_.stopAtWatch(group, thread); }

    /// A dispatch begins to stop: makes its groups check at once.
    void kick(ActiveDispatch& dispatch);
    /// Cancels everything and returns when nothing runs any more. Later launches are refused.
    void shutDown();

  private:
    // For ThreadControl.

    TurnMutex& mutex() const noexcept override { return scheduler_.mutex(); }
    Occupant occupant(std::uint32_t slot) const noexcept override ZETL_REQUIRES(kTurns) { return occupants_[slot]; }
    bool isBetweenTurns(const ResidentGroup& group) const noexcept override ZETL_REQUIRES(kTurns);
    void wake(ResidentGroup& group) override ZETL_REQUIRES(kTurns);
    void settleTurns() override ZETL_REQUIRES(kTurns);
    /// A dispatch fails if there is no memory for it.
    void placeWaiting() noexcept override ZETL_REQUIRES(kTurns);
    Recorded* recorded() const noexcept override ZETL_REQUIRES(kTurns) { return scheduler_.history(); }

    /// The counts that were read last; later readings never go behind them.
    struct Reading {
        Counts counts;
        std::uint64_t clock = 0;
    };
    void remember(const Snapshot& settled) const ZETL_REQUIRES(countsMutex_);
    enum class Beyond : std::uint8_t { counted, heldBack };  ///< what was executed beyond the replayed batches
    Snapshot read(const Counts& more, Reading& last, Beyond beyond = Beyond::counted) const ZETL_REQUIRES(countsMutex_);

    Fault refuse(const ActiveDispatch& dispatch);
    std::string memoryProblem(const Launch& launch);
    ModelDetail detailOfLaunch();
    void prepareCode(ActiveDispatch& dispatch);
    std::shared_ptr<Dispatch> refused(DispatchPointer dispatch, Fault fault);
    void finishUnbegun(ActiveDispatch& dispatch);
    /// The dispatch has a group for each worker, and these end in their turns, so more of them in places would only
    /// cost time. No other dispatch waits, no tool collects, and no debugger is attached.
    bool hasEnough(const ActiveDispatch& dispatch) const ZETL_REQUIRES(kTurns);
    /// Returns false if there is no room now.
    bool placeOne(const DispatchPointer& dispatch) noexcept ZETL_REQUIRES(kTurns);
    bool tryToPlace(const DispatchPointer& dispatch) ZETL_REQUIRES(kTurns);
    void occupy(WorkGroup& group, std::uint64_t now) ZETL_REQUIRES(kTurns);
    void vacate(WorkGroup& group, std::uint64_t now) ZETL_REQUIRES(kTurns);
    void goOn(WorkGroup& group) noexcept ZETL_REQUIRES(kTurns);
    DispatchList leave(WorkGroup& group, EndedGroups& ended) ZETL_REQUIRES(kTurns);
    DispatchList takeFinished() noexcept ZETL_REQUIRES(kTurns);
    DispatchPointer firstGoingOn();
    void follow(ActiveDispatch& dispatch);
    void learnFrom(const ActiveDispatch& dispatch) noexcept;
    void noteEnd(ActiveDispatch& dispatch) noexcept;
    void wantPlace(ActiveDispatch& dispatch) noexcept;
    template <class F>
    DispatchPointer findUnplaced(F&& may) noexcept;
    void placeAll() noexcept ZETL_REQUIRES(placing_);
    void place(ActiveDispatch& dispatch) noexcept ZETL_REQUIRES(placing_);
    void finishPlaced() noexcept ZETL_REQUIRES(placing_);
    void placeLater(ActiveDispatch& dispatch) noexcept ZETL_REQUIRES(placing_);
    /// What of a dispatch that is done is still to be done, without locks.
    struct Rest {
        DispatchPointer dispatch;
        bool completes = false;
        bool settles = false;
    };
    Rest takeRest() noexcept;
    void doRest() noexcept;
    void countWaits(ActiveDispatch& dispatch, const WorkSchedule::Placement& placement) noexcept;
    std::uint64_t sideBySide() const ZETL_REQUIRES(countsMutex_);
    void offerTrace(const WorkGroup& group) noexcept;
    void replay(ActiveDispatch& dispatch) noexcept;
    void retire(const DispatchPointer& dispatch) noexcept;
    void complete(ActiveDispatch& dispatch) noexcept;
    void tellListener();
    bool isObserved() const noexcept;
    void tellListenerNowAndThen();
    void count(ActiveDispatch& dispatch) ZETL_REQUIRES(countsMutex_);
    void handleFault(WorkGroup& group);
    void updatePlaceWanted() ZETL_REQUIRES(kTurns);

    // Preemption (tile_preemption.cpp).

    /// The next claim to a sub-slice: a displaced group, or a dispatch that gets no place.
    struct Claim {
        std::uint32_t subslice = 0;
        WorkGroup* group = nullptr;
        DispatchPointer dispatch;
    };
    void preempt() noexcept ZETL_REQUIRES(kTurns);
    void makeRoom() ZETL_REQUIRES(kTurns);
    std::optional<Claim> longestWaiting(std::uint64_t now) const ZETL_REQUIRES(kTurns);
    std::optional<Claim> claimFor(DispatchPointer dispatch, std::uint64_t now) const ZETL_REQUIRES(kTurns);
    bool isStarving(const ActiveDispatch& dispatch, std::uint64_t now) const ZETL_REQUIRES(kTurns);
    bool grantClaim() ZETL_REQUIRES(kTurns);
    void displace(WorkGroup& group) ZETL_REQUIRES(kTurns);
    bool restore(WorkGroup& group) ZETL_REQUIRES(kTurns);
    void restoreDisplaced() ZETL_REQUIRES(kTurns);
    void forgetDisplaced(const ActiveDispatch& dispatch) ZETL_REQUIRES(kTurns);

    DeviceRuntime& device_;
    const std::uint32_t index_;
    Scheduler& scheduler_;
    Memory& memory_;
    const std::uint64_t codeBase_;
    Watchpoints watchpoints_;
    Conditions conditions_;
    ThreadEnvironment environment_;
    ScratchAreas scratch_;
    TileModel model_;
    WorkSchedule schedule_;
    std::atomic<std::uint64_t> submitted_{0};
    Mutex placing_;                           ///< who knows that a dispatch is done finds those placed that it held up
    std::atomic<std::uint32_t> ended_{0};     ///< dispatches that are not done because they want a place
    std::atomic<std::uint32_t> unplaced_{0};  ///< the same, and those that are done and get one later
    std::uint32_t later_ ZETL_GUARDED_BY(placing_) = 0;  ///< these
    ForkGuard fork_;
    std::atomic<bool> placeWanted_{false};

    SlotMap slots_ ZETL_GUARDED_BY(kTurns);
    std::vector<Occupant> occupants_ ZETL_GUARDED_BY(kTurns);
    DispatchList waiting_ ZETL_GUARDED_BY(kTurns);  // with groups that have no place yet
    std::list<std::unique_ptr<WorkGroup>> resident_ ZETL_GUARDED_BY(kTurns);
    DispatchList unfinished_ ZETL_GUARDED_BY(kTurns);
    std::list<WorkGroup*> displaced_ ZETL_GUARDED_BY(kTurns);  // of resident_, longest first
    std::optional<Claim> claim_ ZETL_GUARDED_BY(kTurns);       // its sub-slice is being cleared
    bool shutDown_ ZETL_GUARDED_BY(kTurns) = false;

    mutable Mutex countsMutex_;
    Condition quiet_;                                     // unretired_ became empty
    Counts retiredCounts_ ZETL_GUARDED_BY(countsMutex_);  // of dispatches that are done
    using Listeners = std::array<std::shared_ptr<CountsListener>, static_cast<std::size_t>(Listening::count_)>;
    Listeners listeners_ ZETL_GUARDED_BY(countsMutex_);
    std::atomic<bool> listened_{false};
    std::atomic<std::uint64_t> toldAt_{0};  // host nanoseconds
    mutable Reading lastRead_ ZETL_GUARDED_BY(countsMutex_);
    mutable Reading lastSoFar_ ZETL_GUARDED_BY(countsMutex_);
    Mutex begins_;  ///< no group executes before the begin of its dispatch is settled
    mutable Snapshot settled_ ZETL_GUARDED_BY(countsMutex_);              // the last settled reading
    mutable std::deque<Snapshot> moments_ ZETL_GUARDED_BY(countsMutex_);  // the latest ones, this one too
    mutable bool overdue_ ZETL_GUARDED_BY(countsMutex_) = false;          // it is so old that readers see more
    DispatchList unretired_ ZETL_GUARDED_BY(countsMutex_);                // their counts are asked from them
    UsageReport usage_ ZETL_GUARDED_BY(countsMutex_);
    ThreadControl control_;
};

}  // namespace zetl::emulator::machine
