// The host workers, and the queue of work-groups that want a turn.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "emulator/machine/quiescence.h"
#include "emulator/machine/work_group.h"

namespace zetl::emulator::machine {

/// One for the machine. Groups of all tiles take turns in one queue, so nobody starves; a group in the queue or in a
/// turn is owned by its tile. Workers are started one by one while groups wait, and sleep when none does.
class Scheduler {
  public:
    Scheduler(Quiescence& quiescence, uint32_t workers);
    /// All dispatches must be done.
    ~Scheduler();
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    uint32_t workers() const noexcept { return count_; }

    /// Guards the queue, and placement, residency and stops of all tiles.
    std::mutex& mutex() noexcept { return mutex_; }

    /// With the mutex held: gives a group that is in neither queue nor turn its next turn, after all that wait.
    void enqueue(WorkGroup& group);
    /// With the mutex held: those for which the condition holds come first.
    void advance(const std::function<bool(const WorkGroup&)>& condition);

  private:
    void startWorker();
    void work(Worker& worker);
    TurnEnd runTurn(Worker& worker, WorkGroup& group);

    Quiescence& quiescence_;
    const uint32_t count_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<WorkGroup*> queue_;
    uint32_t idle_ = 0;
    bool stopping_ = false;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<std::thread> threads_;
};

}  // namespace zetl::emulator::machine
