// The host workers, and the queues of work-groups that want a turn.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "base/service_thread.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/memory/quiescence.h"

namespace zetl::emulator::machine {

/// One for the machine. Dispatches of all tiles take turns, and so do the groups of each, so nobody starves and a small
/// dispatch does not wait for all groups of a large one; a group that is queued or in a turn is owned by its tile.
/// Workers are started one by one while groups wait, and sleep when none does. Where the system gives no thread for the
/// first one, whoever waits for a dispatch works itself, until a thread can be had.
class Scheduler {
  public:
    Scheduler(Quiescence& quiescence, std::uint32_t workers);
    /// All dispatches must be done.
    ~Scheduler();
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    std::uint32_t workers() const noexcept { return count_; }

    /// Guards the queues, and placement, residency and stops of all tiles.
    std::mutex& mutex() noexcept { return mutex_; }

    /// With the mutex held: gives a group that is in neither queue nor turn its next turn, after all that wait.
    void enqueue(WorkGroup& group);
    using Condition = std::function<bool(const WorkGroup&)>;

    /// With the mutex held: takes a queued group out.
    void park(WorkGroup& group);
    /// With the mutex held: takes all queued groups out for which the condition holds.
    void park(const Condition& condition);
    /// With the mutex held: those for which the condition holds come first.
    void advance(const Condition& condition);

    /// Without locks, before waiting for something that needs the turns of work-groups: gives turns, to whichever group
    /// is next, until `over` or a worker runs. Returns at once if one does. `over` may be called with the mutex held.
    void helpOut(const std::function<bool()>& over);

  private:
    using Lock = std::unique_lock<std::mutex>;

    void park(ActiveDispatch& dispatch, const Condition& condition);
    WorkGroup& next() noexcept;
    void startWorker();
    Worker* takeWorker();
    void work(Worker& worker) noexcept;
    void giveTurn(Lock& lock, Worker& worker) noexcept;
    TurnEnd runTurn(Worker& worker, WorkGroup& group) noexcept;

    Quiescence& quiescence_;
    const std::uint32_t count_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::list<ActiveDispatch*> turns_;  // those with queued groups
    std::size_t queued_ = 0;            // groups of all of them
    std::uint32_t idle_ = 0;
    bool stopping_ = false;
    std::vector<std::unique_ptr<Worker>> workers_;  // at most count_
    std::vector<Worker*> unused_;                   // of these, by neither thread nor helper
    std::vector<ServiceThread> threads_;
    std::chrono::steady_clock::time_point nextAttempt_{};  // to start a thread
};

}  // namespace zetl::emulator::machine
