// A tile at work: slots, dispatches, resident work-groups.
#pragma once

#include <atomic>
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
    Snapshot counters() const override;
    Snapshot countersSoFar() const override;
    std::shared_ptr<void> collect() override;
    std::vector<InstructionStalls> stalls() const override { return model_.stalls(); }
    void listen(std::shared_ptr<CountsListener> listener) override;
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

    /// What threads of the launch reach becomes host code, if it may.
    void translate(const Launch& launch) const;
    void beginTurn(WorkGroup& group) noexcept ZETL_REQUIRES(kTurns);
    /// The first thing behind a turn, without locks. Where memory ends, the dispatch fails.
    void followTurn(WorkGroup& group, TurnEnd end) noexcept;
    /// The second; books are kept without any memory. The dispatches of which nothing is left then.
    DispatchList endTurn(WorkGroup& group, TurnEnd end, EndedGroups& ended) noexcept ZETL_REQUIRES(kTurns);
    /// The last, for those, without locks: makes them done.
    void retire(const DispatchList& finished) noexcept;

    /// Adds what a dispatch that is done executed to the totals, if nobody did yet.
    void settle(const ActiveDispatch& dispatch) noexcept;
    /// Another dispatch, or a debugger that holds the whole tile, wants no further group in this place.
    bool placeIsWanted() const noexcept { return placeWanted_.load(std::memory_order_relaxed); }
    /// Somebody may ask for a halt, which waits for the threads that execute.
    bool isDebugged() const noexcept { return control_.attached(); }
    /// Stops the threads of the group in its turn that the debugger asked for.
    void haltThreads(WorkGroup& group) { control_.haltThreads(group); }
    /// The same where the group has ended and its place may take another.
    void haltBetween(WorkGroup& group) { control_.haltBetween(group); }
    void stopAtBreakpoint(WorkGroup& group, HardwareThread& thread) { control_.stopAtBreakpoint(group, thread); }

    /// A dispatch began to stop: its groups look at once.
    void kick(ActiveDispatch& dispatch);
    /// Cancels everything and returns when nothing is left. Later launches are refused.
    void shutDown();

  private:
    // For control.

    TurnMutex& mutex() const noexcept override { return scheduler_.mutex(); }
    Occupant occupant(std::uint32_t slot) const noexcept override ZETL_REQUIRES(kTurns) { return occupants_[slot]; }
    bool isBetweenTurns(const ResidentGroup& group) const noexcept override ZETL_REQUIRES(kTurns);
    void wake(ResidentGroup& group) override ZETL_REQUIRES(kTurns);
    void settleTurns() override ZETL_REQUIRES(kTurns);
    /// A dispatch for which there is no memory fails.
    void placeWaiting() noexcept override ZETL_REQUIRES(kTurns);

    /// What was read, which later readings never go behind.
    struct Reading {
        Counts counts;
        std::uint64_t clock = 0;
    };
    Snapshot read(const Counts& more, Reading& last) const ZETL_REQUIRES(countsMutex_);

    Fault refuse(const ActiveDispatch& dispatch);
    std::string memoryProblem(const Launch& launch);
    void prepareCode(ActiveDispatch& dispatch);
    std::shared_ptr<Dispatch> refused(DispatchPointer dispatch, Fault fault);
    void finishUnbegun(ActiveDispatch& dispatch);
    /// It has a group for each worker, and these end in their turns: more of them in places would only cost time. No
    /// one else waits, or looks.
    bool hasEnough(const ActiveDispatch& dispatch) const ZETL_REQUIRES(kTurns);
    /// False: there is no room now.
    bool placeOne(const DispatchPointer& dispatch) noexcept ZETL_REQUIRES(kTurns);
    bool tryToPlace(const DispatchPointer& dispatch) ZETL_REQUIRES(kTurns);
    void occupy(WorkGroup& group, std::uint64_t now) ZETL_REQUIRES(kTurns);
    void vacate(WorkGroup& group, std::uint64_t now) ZETL_REQUIRES(kTurns);
    void goOn(WorkGroup& group) noexcept ZETL_REQUIRES(kTurns);
    DispatchList leave(WorkGroup& group, EndedGroups& ended) ZETL_REQUIRES(kTurns);
    DispatchList takeFinished() noexcept ZETL_REQUIRES(kTurns);
    DispatchPointer firstGoingOn();
    void follow(ActiveDispatch& dispatch);
    void offerTrace(const WorkGroup& group) noexcept;
    void replay(ActiveDispatch& dispatch) noexcept;
    void retire(const DispatchPointer& dispatch) noexcept;
    void tellListener();
    bool isObserved() const noexcept;
    void tellListenerNowAndThen();
    void count(ActiveDispatch& dispatch) ZETL_REQUIRES(countsMutex_);
    void handleFault(WorkGroup& group);
    void updatePlaceWanted() ZETL_REQUIRES(kTurns);

    // Preemption (tile_preemption.cpp).

    /// Whose turn it is to have a sub-slice: a displaced group, or a dispatch that gets no place.
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
    ThreadEnvironment environment_;
    ScratchAreas scratch_;
    TileModel model_;
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
    std::shared_ptr<CountsListener> listener_ ZETL_GUARDED_BY(countsMutex_);
    std::atomic<bool> listened_{false};
    std::atomic<std::uint64_t> toldAt_{0};  // host nanoseconds
    mutable Reading lastRead_ ZETL_GUARDED_BY(countsMutex_);
    mutable Reading lastSoFar_ ZETL_GUARDED_BY(countsMutex_);
    DispatchList unretired_ ZETL_GUARDED_BY(countsMutex_);  // counted by asking them
    UsageReport usage_ ZETL_GUARDED_BY(countsMutex_);
    ThreadControl control_;
};

}  // namespace zetl::emulator::machine
