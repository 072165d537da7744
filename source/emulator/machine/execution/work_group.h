// A work-group on its sub-slice: threads, local memory, barriers. When a group has ended, the next one of the same
// dispatch takes its place.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/isa/entry.h"
#include "emulator/machine/execution/active_dispatch.h"
#include "emulator/machine/execution/barriers.h"
#include "emulator/machine/execution/slot_map.h"
#include "emulator/machine/model/subslice.h"
#include "emulator/machine/tools/resident_group.h"

namespace zetl::emulator::translate {
struct GroupCode;
struct GroupWork;
}  // namespace zetl::emulator::translate

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
    ThreadMask live() const noexcept override { return live_.load(std::memory_order_acquire); }
    /// The threads that could be executed now.
    ThreadMask runnable() const noexcept;
    HardwareThread* thread(std::uint32_t index) const noexcept override { return threads_[index].get(); }
    std::span<std::byte> slm() const noexcept override { return slm_; }

    /// Between turns, for its worker: the trace that the model gets if the group goes on. Null if nothing is recorded.
    std::unique_ptr<GroupTrace> traceSoFar() const;
    const Extent& id() const noexcept { return id_; }

    /// Keeps the memory that belongs to its slots while other groups use them, and puts it back. Between turns.
    void saveSlotMemory();
    void restoreSlotMemory();

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

  private:
    /// Instructions of one thread and of all threads in one turn: together about a millisecond.
    struct Quantum {
        std::int64_t thread;
        std::int64_t turn;
    };
    Quantum quantum() const noexcept;

    /// The result of one round over the threads.
    struct Round {
        bool ran = false;
        bool failed = false;
    };

    /// How threads begin in the state of one that has ended, found out when one was prepared.
    struct Beginning {
        isa::Entry entry;
        /// To be cleared, unless the other strayed: by threads with as many lanes as the first, and by one with fewer.
        std::vector<isa::StateSlots::Run> registers;
        std::vector<isa::StateSlots::Run> registersOfLast;
        std::uint32_t translations = 0;
        std::uint64_t codeVersion = 0;
        bool setsMode = false;                              ///< they do, before they compute with floats
        std::shared_ptr<const translate::GroupCode> group;  ///< for all of a group together, if there is such code
    };

    template <class F>
    void eachSlotMemory(F&& f) const;
    std::uint32_t wholeThreads() const noexcept;
    void start(Worker& worker);
    void beginTrace();
    void endTrace() noexcept;
    void prepare(HardwareThread& thread, std::uint32_t index);
    bool passesOn() const noexcept;
    std::uint64_t codeVersion() const noexcept;
    void prepareOne(Worker& worker, std::uint32_t index, std::uint64_t codeVersion);
    void prepareRest(Worker& worker);
    void place(HardwareThread& thread, std::uint32_t index);
    bool fits(const HardwareThread& thread, std::uint64_t codeVersion) const;
    bool laneFits(const Worker& worker) const;
    void beginAgain(HardwareThread& thread, std::uint32_t index);
    void learnBeginning(const HardwareThread& thread);
    void beginLane(Worker& worker, std::uint32_t index);
    std::uint32_t executeTogether(Worker& worker, std::uint32_t index, std::int64_t& budget);
    translate::GroupWork callGroup(translate::GroupWork work);
    std::uint32_t groupsAtOnce(std::int64_t workOfEach) const noexcept;
    bool isUndisturbed() const noexcept;
    void executeTaken(Worker& worker, std::int64_t& budget);
    void countLane() noexcept;
    static void countTraffic(HardwareThread& thread) noexcept;
    bool executeInLane(Worker& worker, std::uint32_t index, std::int64_t instructions, std::int64_t& budget);
    bool settle(HardwareThread& thread, Worker& worker);
    bool loadArguments(HardwareThread& thread);
    void attach(HardwareThread& thread, Worker& worker, std::uint64_t codeVersion);
    Round round(Worker& worker, std::int64_t& budget);
    bool keepsCompany() const noexcept;
    void warmUp(std::int64_t executed);
    void joinHostCode();
    Round roundTogether(Worker& worker, std::int64_t& budget);
    bool execute(HardwareThread& thread, Worker& worker, std::int64_t instructions, std::int64_t& budget);
    bool toleratesOverrun(isa::Thread& state);
    bool mayRun(const HardwareThread& thread) const noexcept;
    void end(HardwareThread& thread, Worker& worker);
    bool next(Worker& worker);
    std::optional<Extent> nextGroup() noexcept;
    void abandon(Worker& worker);
    void giveBack(Worker& worker) noexcept;
    void diagnoseStandstill();

    std::shared_ptr<ActiveDispatch> dispatch_;
    Placement placement_;
    Extent id_;
    bool started_ = false;
    std::vector<std::unique_ptr<HardwareThread>> threads_;
    std::vector<std::uint32_t> statusRegisters_;  // by thread: sr0.0, which contains its slot
    ThreadMask unprepared_ = 0;                   // of a started group; in a round only: their states are still empty
    bool passesStatesOn_ = false;                 // a thread that has ended leaves its state to other threads
    bool usesLane_ = false;                       // its threads run one after the other in lane_, as long as they end
    bool threadsStop_ = false;                    // a thread stopped before its end: others of the dispatch will
    bool keepsStates_ = false;                    // a thread that has ended leaves its state to the next in its slot
    Beginning begins_;
    std::unique_ptr<HardwareThread> lane_;
    std::uint32_t laneRefusals_ = 0;     // how often in a row the group's code did not do all
    ActiveDispatch::GroupRange taken_;   // groups that follow in this place
    std::unique_ptr<GroupTrace> trace_;  // while its dispatch is modelled
    std::atomic<ThreadMask> live_{0};
    std::unique_ptr<std::byte[]> slmStorage_;
    std::span<std::byte> givenSlm_;      // in the hardware's steps
    std::span<std::byte> slm_;           // the part of it that the kernel asked for
    bool reachesGiven_ = false;          // a thread of this place has reached beyond that
    std::vector<std::byte> slotMemory_;  // while displaced
    Barriers barriers_;
    isa::Company company_;
    isa::CommonWork common_;
    std::optional<std::uint32_t> barrierMisuse_;  // thread whose signal made no sense
    Fault fault_;                                 // of the group, if it is no thread's own fault
    std::uint32_t failedThread_ = 0;
};

}  // namespace zetl::emulator::machine
