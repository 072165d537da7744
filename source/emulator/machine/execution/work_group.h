// A work-group on its sub-slice: place, local memory, barriers. Its GroupRun runs its threads. When a group has ended,
// the next one of the same dispatch takes its place.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/machine/execution/active_dispatch.h"
#include "emulator/machine/execution/barriers.h"
#include "emulator/machine/execution/group_moment.h"
#include "emulator/machine/execution/group_runs.h"
#include "emulator/machine/execution/group_threads.h"
#include "emulator/machine/execution/group_tracing.h"
#include "emulator/machine/execution/slot_map.h"
#include "emulator/machine/tools/resident_group.h"

namespace zetl::emulator::machine {

class TileRuntime;
struct Worker;

/// Why a turn of a work-group is over.
enum class TurnEnd : std::uint8_t {
    again,     ///< its time is used up
    parked,    ///< every thread that could run is stopped by the debugger
    finished,  ///< ended, and the dispatch has no further group for this place
    faulted,   ///< failure() has the fault
};

/// In a turn it belongs to one worker; between turns to the thread that holds the mutex of turns.
class WorkGroup final : public ResidentGroup {
  public:
    WorkGroup(std::shared_ptr<ActiveDispatch> dispatch, Placement placement, const Extent& id);
    ~WorkGroup();
    WorkGroup(const WorkGroup&) = delete;
    WorkGroup& operator=(const WorkGroup&) = delete;

    static WorkGroup& of(const HardwareThread& thread) noexcept { return static_cast<WorkGroup&>(*thread.group); }

    ActiveDispatch& dispatch() const noexcept override { return *dispatch_; }
    const std::shared_ptr<ActiveDispatch>& dispatchPointer() const noexcept { return dispatch_; }
    TileRuntime& tile() const noexcept { return dispatch_->tile(); }
    const Placement& placement() const noexcept { return placement_; }

    /// Executes for about a millisecond. Call it inside of the worker's Quiescence reader.
    TurnEnd turn(Worker& worker);
    /// The fault that stopped the last turn. Call it outside of the reader, since it looks for the explanation.
    Fault failure() const;
    std::uint32_t failedThread() const noexcept { return failedThread_; }

    void signalBarrier(std::uint32_t thread, const isa::BarrierSignal& signal) noexcept;

    bool started() const noexcept { return started_; }
    ThreadMask live() const noexcept override { return threads_.live(); }
    /// The threads that could be executed now.
    ThreadMask runnable() const noexcept;
    HardwareThread* thread(std::uint32_t index) const noexcept override { return threads_.find(index); }
    std::span<std::byte> slm() const noexcept override { return slm_; }

    /// Between turns, for its worker: the trace that the model gets if the group goes on. Null if nothing is recorded.
    std::unique_ptr<GroupTrace> traceSoFar() const { return started_ ? tracing_.soFar() : nullptr; }
    const Extent& id() const noexcept override { return id_; }

    /// Keeps the memory that belongs to its slots while other groups use them, and puts it back. Between turns.
    void saveSlotMemory();
    void restoreSlotMemory();

    // For the history of a recorded launch, between turns or in its own one.

    /// `former`: an earlier moment of the same place, or null.
    GroupMoment keep(const GroupMoment* former) const;
    /// Its threads are then stopped by nobody: see stopAll().
    void putBack(const GroupMoment& moment, Worker& worker);
    /// The group begins once more.
    void beginAgain(const Extent& id, Worker& worker);
    /// What settle() does after a thread's turn, when that is repeated. Returns false if the thread cannot go on.
    bool settleAgain(HardwareThread& thread);
    /// Its last group has ended.
    void waitAgain() noexcept;
    /// The debugger finds all threads halted, or as they were stopped at that moment.
    void stopAll() ZETL_REQUIRES(kTurns);
    void stopAs(const GroupMoment& moment) ZETL_REQUIRES(kTurns);
    /// It has ended and the launch has no further group for it, but other groups of the recorded launch go on.
    bool waitsForOthers() const noexcept { return waitsForOthers_; }

    enum class State : std::uint8_t {
        queued,
        running,
        parked  ///< wants no turn: the debugger has stopped its threads, or it is displaced
    };
    State state ZETL_GUARDED_BY(kTurns) = State::queued;
    /// Moves to the list in which it is queued, so that queueing takes no memory.
    std::list<WorkGroup*> ticket ZETL_GUARDED_BY(kTurns){this};
    /// Its place in the tile's list of all groups.
    std::list<std::unique_ptr<WorkGroup>>::iterator self ZETL_GUARDED_BY(kTurns);
    bool turnIsShort = false;                         ///< set before a turn that is to be short
    bool placed ZETL_GUARDED_BY(kTurns) = false;      ///< has its slots; if not, it is displaced for a while
    std::uint64_t since ZETL_GUARDED_BY(kTurns) = 0;  ///< host nanoseconds at which it got its place, or lost it

    // For its GroupRun, in its turn.

    /// The group that is now in the place begins.
    void start(Worker& worker);
    void setId(const Extent& id) noexcept { id_ = id; }
    /// Whether the thread has not ended and waits for no barrier.
    bool mayRun(const HardwareThread& thread) const noexcept;
    /// Handles the way in which the thread stopped. Returns false if the group cannot go on as it is.
    bool settle(HardwareThread& thread, Worker& worker);
    bool barrierIsMisused() const noexcept { return barrierMisuse_.has_value(); }
    Barriers& barriers() noexcept { return barriers_; }
    /// The timing model looks at its threads.
    bool isModelled() const noexcept {
        return dispatch_->model() != nullptr && (tracing_.records() || !dispatch_->model()->samples());
    }
    /// Its threads record, and run a program of their own for that.
    bool recordsInTwin() const noexcept { return tracing_.records() && dispatch_->model()->samples(); }
    ActiveDispatch::GroupRange taken;  ///< groups that follow in this place

  private:
    Quantum quantum() const noexcept;

    template <class F>
    void eachSlotMemory(F&& f) const;
    void warmUp(std::int64_t executed);
    bool writesWatched(HardwareThread& thread);
    bool goesOn(HardwareThread& thread);
    bool toleratesOverrun(isa::Thread& state);
    bool next(Worker& worker);
    TurnEnd endOrWait(Worker& worker);
    std::optional<Extent> nextGroup() noexcept;
    std::uint64_t groupsToTake() const noexcept;
    void abandon(Worker& worker);
    void giveBack(Worker& worker) noexcept;
    void diagnoseStandstill();

    std::shared_ptr<ActiveDispatch> dispatch_;
    Placement placement_;
    Extent id_;
    bool started_ = false;
    std::int64_t executed_ = 0;  // instructions of the group that began last
    bool waitsForOthers_ = false;
    GroupThreads threads_{*this};
    GroupTracing tracing_{*this, threads_};
    GroupRuns run_{*this, threads_};
    std::unique_ptr<std::byte[]> slmStorage_;
    std::span<std::byte> givenSlm_;      // in the hardware's steps
    std::span<std::byte> slm_;           // the part of it that the kernel asked for
    bool reachesGiven_ = false;          // a thread of this place has reached beyond that
    std::vector<std::byte> slotMemory_;  // while displaced
    Barriers barriers_;
    std::optional<std::uint32_t> barrierMisuse_;  // thread whose signal made no sense
    Fault fault_;                                 // of the group, if it is no thread's own fault
    std::uint32_t failedThread_ = 0;
};

}  // namespace zetl::emulator::machine
