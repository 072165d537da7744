// The host workers, and the queues of work-groups that want a turn.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "base/service_thread.h"
#include "emulator/machine/execution/history.h"
#include "emulator/machine/execution/turn_order.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/execution/worker.h"
#include "emulator/machine/memory/quiescence.h"
#include "emulator/machine/tools/turns.h"

namespace zetl::emulator::machine {

/// One for the machine. Dispatches of all tiles take turns, and so do the groups of each, so no dispatch starves and a
/// small one does not wait for all groups of a large one; a group that is queued or in a turn is owned by its tile.
/// Workers are started one by one while groups wait, and sleep when none does. A thread that submits a dispatch and
/// waits for it at once gives it turns itself, in the place of a worker; so does a thread that waits for any dispatch
/// while the system gives no thread for the first worker.
class Scheduler {
  public:
    /// With a shuffled order or a history there is one worker, whatever the number.
    Scheduler(Quiescence& quiescence, std::uint32_t workers, TurnOrder order, std::unique_ptr<History> history = {});
    /// All dispatches must be done.
    ~Scheduler();
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// The largest number of turns that are given at the same time.
    std::uint32_t workers() const noexcept { return count_; }
    const TurnOrder& order() const noexcept { return order_; }
    /// Null unless launches are recorded.
    History* history() const noexcept { return history_.get(); }
    /// The number of the next dispatch of the machine, from 1.
    std::uint64_t numberDispatch() noexcept { return dispatches_.fetch_add(1, std::memory_order_relaxed) + 1; }
    /// Greater than every Worker::index.
    std::uint32_t slots() const noexcept { return count_ + kHelpers; }

    TurnMutex& mutex() noexcept { return mutex_; }

    /// Enough groups for all workers are about to be enqueued: wakes those that sleep, which takes tens of
    /// microseconds.
    void expectGroups();
    /// Gives a group that is neither queued nor in a turn its next turn, after all groups that wait.
    void enqueue(WorkGroup& group) ZETL_REQUIRES(kTurns);
    /// Takes a queued group out.
    void park(WorkGroup& group) ZETL_REQUIRES(kTurns);

    using Choice = std::function<bool(const WorkGroup&)>;
    /// Takes all queued groups of the choice out.
    void park(const Choice& choice) ZETL_REQUIRES(kTurns);
    /// Moves the groups of the choice to the front.
    void advance(const Choice& choice) ZETL_REQUIRES(kTurns);

    /// Called without locks by the thread that submitted an awaited dispatch: gives the dispatch turns as long as it
    /// wants any and a worker could give them.
    void help(const ActiveDispatch& dispatch);

    /// Called without locks before waiting for something that needs the turns of work-groups: gives turns, to whichever
    /// group is next, until `over` or until a worker runs. Returns at once if a worker runs. `over` may be called with
    /// the mutex held.
    void helpOut(const std::function<bool()>& over);

  private:
    void park(ActiveDispatch& dispatch, const Choice& choice) ZETL_REQUIRES(kTurns);
    WorkGroup& next() noexcept ZETL_REQUIRES(kTurns);
    WorkGroup& nextOf(ActiveDispatch& dispatch) noexcept ZETL_REQUIRES(kTurns);
    std::size_t turnOf(ActiveDispatch& dispatch) const noexcept ZETL_REQUIRES(kTurns);
    bool mayRun() const noexcept ZETL_REQUIRES(kTurns) { return queued_ != 0 && running_ < count_; }
    void callWorker() ZETL_REQUIRES(kTurns);
    void callIdle() ZETL_REQUIRES(kTurns);
    bool startWorker() ZETL_REQUIRES(kTurns);
    Worker* takeWorker() ZETL_REQUIRES(kTurns);
    void work(Worker& worker) noexcept;
    void rest(TurnLock& lock, Worker& worker) noexcept ZETL_REQUIRES(kTurns);
    void leave(Worker* worker, EndedGroups& ended) ZETL_REQUIRES(kTurns);
    void giveTurn(TurnLock& lock, Worker& worker, WorkGroup& group) noexcept ZETL_REQUIRES(kTurns);
    TurnEnd runTurn(Worker& worker, WorkGroup& group) noexcept;

    static constexpr std::uint32_t kHelpers = 16;  // callers that give turns at the same time

    Quiescence& quiescence_;
    const TurnOrder order_;
    const std::unique_ptr<History> history_;
    std::atomic<std::uint64_t> dispatches_{0};
    const std::uint32_t count_;
    TurnMutex mutex_;
    std::list<ActiveDispatch*> turns_ ZETL_GUARDED_BY(kTurns);  // the dispatches with queued groups
    std::size_t queued_ ZETL_GUARDED_BY(kTurns) = 0;            // groups of all these dispatches
    std::uint32_t idle_ ZETL_GUARDED_BY(kTurns) = 0;            // workers that sleep
    std::uint32_t called_ ZETL_GUARDED_BY(kTurns) = 0;          // those of them that are being woken
    std::uint32_t running_ ZETL_GUARDED_BY(kTurns) = 0;         // turns
    std::uint32_t helpers_ ZETL_GUARDED_BY(kTurns) = 0;         // callers in help() and helpOut()
    Condition left_;                                            // the last of them left, while stopping
    Condition glances_;                                         // of helpOut(), when it finds nothing to do
    bool stopping_ ZETL_GUARDED_BY(kTurns) = false;
    std::vector<std::unique_ptr<Worker>> workers_ ZETL_GUARDED_BY(kTurns);  // at most slots()
    std::vector<Worker*> unused_ ZETL_GUARDED_BY(kTurns);                   // those without a thread or a helper
    std::vector<ServiceThread> threads_ ZETL_GUARDED_BY(kTurns);
    std::chrono::steady_clock::time_point nextAttempt_ ZETL_GUARDED_BY(kTurns){};  // to start a thread
};

}  // namespace zetl::emulator::machine
