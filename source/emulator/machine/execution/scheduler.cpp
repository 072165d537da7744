#include "emulator/machine/execution/scheduler.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <new>
#include <utility>

#include "base/log.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/worker.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::chrono::seconds kBetweenAttempts{1};      // to start a thread after the system gave none
constexpr std::chrono::milliseconds kBetweenGlances{2};  // of a helper that finds nothing to do
constexpr std::chrono::microseconds kShortRest{200};     // a worker that rested no longer looks so long for calls

}  // namespace

Scheduler::Scheduler(Quiescence& quiescence, std::uint32_t workers, TurnOrder order, std::unique_ptr<History> history)
    : quiescence_(quiescence),
      order_(order),
      history_(std::move(history)),
      count_(order.isShuffled() || history_ != nullptr ? 1 : std::max(workers, 1u)) {
    workers_.reserve(slots());
    unused_.reserve(slots());
    threads_.reserve(count_);
}

Scheduler::~Scheduler() {
    {
        const TurnLock guard(mutex_);
        stopping_ = true;
        while (called_ < idle_) callIdle();
    }
    for (ServiceThread& thread : threads_) thread.join();
    TurnLock lock(mutex_);
    left_.wait(lock.waiting(), [this]() ZETL_REQUIRES(kTurns) { return helpers_ == 0; });
}

void Scheduler::enqueue(WorkGroup& group) {
    group.state = WorkGroup::State::queued;
    ActiveDispatch& dispatch = group.dispatch();
    if (dispatch.queued.empty()) turns_.splice(turns_.end(), dispatch.turnTicket);
    dispatch.queued.splice(dispatch.queued.end(), group.ticket);
    ++queued_;
    if (dispatch.helped && dispatch.queued.size() == 1) return;  // the thread that waits for it takes it
    callWorker();
}

void Scheduler::callWorker() {
    // Idle workers that were called but did not wake yet are still counted, and so are their groups.
    const bool started = queued_ > idle_ && threads_.size() < count_ && startWorker();
    if (!started && called_ < idle_) callIdle();
    if (threads_.empty()) glances_.notify_one();
}

void Scheduler::callIdle() {
    ++called_;
    mutex_.call();
}

void Scheduler::expectGroups() {
    const TurnLock guard(mutex_);
    while (called_ < idle_) callIdle();
}

/// A worker that is not in use; null if all are, or there is no memory.
Worker* Scheduler::takeWorker() {
    if (!unused_.empty()) {
        Worker* const worker = unused_.back();
        unused_.pop_back();
        return worker;
    }
    if (workers_.size() == slots()) return nullptr;
    try {
        workers_.push_back(std::make_unique<Worker>(static_cast<std::uint32_t>(workers_.size()), quiescence_));
        return workers_.back().get();
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

bool Scheduler::startWorker() {
    const auto now = std::chrono::steady_clock::now();
    if (now < nextAttempt_) return false;
    Worker* const worker = takeWorker();
    if (worker == nullptr) return false;
    auto thread = ServiceThread::start(log::Channel::emulator, "zetl-worker", [this, worker] { work(*worker); });
    if (thread) {
        threads_.push_back(*std::move(thread));
        return true;
    }
    unused_.push_back(worker);
    nextAttempt_ = now + kBetweenAttempts;
    log::error(log::Channel::emulator, "{} worker threads run kernels{}", threads_.size(),
               threads_.empty() ? "; those that wait for kernels run them" : "");
    return false;
}

WorkGroup& Scheduler::next() noexcept { return nextOf(*turns_.front()); }

/// Which of the dispatch's queued groups takes the next turn. A debugger's groups are in front, and go first.
std::size_t Scheduler::turnOf(ActiveDispatch& dispatch) const noexcept {
    if (!order_.isShuffled() || dispatch.queued.front()->halting.load(std::memory_order_relaxed) != 0) return 0;
    constexpr std::uint64_t kTurnsOfGroups = std::uint64_t{1} << 63;  // apart from the decisions of groups
    return order_.draw(dispatch.number(), kTurnsOfGroups + ++dispatch.turns) % dispatch.queued.size();
}

WorkGroup& Scheduler::nextOf(ActiveDispatch& dispatch) noexcept {
    dispatch.turnTicket.splice(dispatch.turnTicket.end(), turns_, std::ranges::find(turns_, &dispatch));
    const auto chosen = std::next(dispatch.queued.begin(), static_cast<std::ptrdiff_t>(turnOf(dispatch)));
    WorkGroup& group = **chosen;
    group.ticket.splice(group.ticket.end(), dispatch.queued, chosen);
    if (!dispatch.queued.empty()) turns_.splice(turns_.end(), dispatch.turnTicket);
    --queued_;
    return group;
}

void Scheduler::park(WorkGroup& group) {
    park(group.dispatch(), [&](const WorkGroup& one) { return &one == &group; });
}

void Scheduler::park(const Choice& choice) {
    for (auto turn = turns_.begin(); turn != turns_.end();) park(**turn++, choice);
}

void Scheduler::park(ActiveDispatch& dispatch, const Choice& choice) {
    for (auto next = dispatch.queued.begin(); next != dispatch.queued.end();) {
        const auto entry = next++;
        WorkGroup& group = **entry;
        if (!choice(group)) continue;
        group.state = WorkGroup::State::parked;
        group.ticket.splice(group.ticket.end(), dispatch.queued, entry);
        --queued_;
    }
    if (dispatch.queued.empty())
        dispatch.turnTicket.splice(dispatch.turnTicket.end(), turns_, std::ranges::find(turns_, &dispatch));
}

void Scheduler::advance(const Choice& choice) {
    const auto wanted = [&](const WorkGroup* group) { return choice(*group); };
    for (ActiveDispatch* dispatch : turns_)
        std::stable_partition(dispatch->queued.begin(), dispatch->queued.end(), wanted);
    std::stable_partition(turns_.begin(), turns_.end(), [&](const ActiveDispatch* dispatch) ZETL_REQUIRES(kTurns) {
        return wanted(dispatch->queued.front());
    });
}

/// If memory runs out during the turn, the dispatch fails; the group leaves in its next turn.
TurnEnd Scheduler::runTurn(Worker& worker, WorkGroup& group) noexcept {
    worker.reader.enter();
    TurnEnd end = TurnEnd::again;
    try {
        end = group.turn(worker);
    } catch (const std::bad_alloc&) {
        group.dispatch().failForMemory();
    }
    worker.reader.leave();
    return end;
}

/// Releases the lock for the turn, which the analysis cannot follow, because the caller owns the lock.
void Scheduler::giveTurn(TurnLock& lock, Worker& worker, WorkGroup& group) noexcept ZETL_NOT_ANALYSED {
    group.state = WorkGroup::State::running;
    ++running_;
    TileRuntime& tile = group.tile();
    tile.beginTurn(group);
    lock.unlock();
    worker.ended.clear();
    const TurnEnd end = runTurn(worker, group);
    tile.followTurn(group, end);
    lock.lock();
    --running_;
    const TileRuntime::DispatchList finished = tile.endTurn(group, end, worker.ended);
    if (finished.empty()) return;
    lock.unlock();
    tile.retire(finished);
    lock.lock();
}

void Scheduler::work(Worker& worker) noexcept {
    TurnLock lock(mutex_);
    for (;;) {
        while (!stopping_ && !mayRun()) rest(lock, worker);
        if (!mayRun()) break;
        giveTurn(lock, worker, next());
    }
    lock.unlock();
    worker.ended.clear();
}

/// Releases the lock meanwhile, which the analysis cannot follow, because the caller owns the lock.
void Scheduler::rest(TurnLock& lock, Worker& worker) noexcept ZETL_NOT_ANALYSED {
    ++idle_;
    lock.unlock();
    worker.ended.clear();
    const auto begin = std::chrono::steady_clock::now();
    mutex_.sleep(worker.restsShortly ? kShortRest : std::chrono::microseconds());
    worker.restsShortly = std::chrono::steady_clock::now() - begin < kShortRest;
    lock.lock();
    --idle_;
    --called_;
    if (!mayRun()) worker.restsShortly = true;  // it was called for groups that are to come
}

/// Groups queued meanwhile may have woken only the thread that is leaving.
void Scheduler::leave(Worker* worker, EndedGroups& ended) {
    if (worker != nullptr) {
        ended.splice(ended.end(), worker->ended);
        unused_.push_back(worker);
    }
    if (queued_ != 0) callWorker();
    if (--helpers_ == 0 && stopping_) left_.notify_all();
}

void Scheduler::help(const ActiveDispatch& dispatch) {
    EndedGroups ended;  // destroyed behind the lock
    TurnLock lock(mutex_);
    if (!dispatch.helped) return;
    ++helpers_;
    Worker* const worker = takeWorker();
    const auto othersWait = [&]() ZETL_REQUIRES(kTurns) {
        return queued_ > dispatch.queued.size() && running_ + 1 == count_;
    };
    while (worker != nullptr && !dispatch.queued.empty() && mayRun()) {
        giveTurn(lock, *worker, nextOf(dispatch.queued.front()->dispatch()));
        if (othersWait()) break;  // a worker takes turns
    }
    dispatch.helped = false;
    leave(worker, ended);
}

void Scheduler::helpOut(const std::function<bool()>& over) {
    EndedGroups ended;  // destroyed behind the lock
    TurnLock lock(mutex_);
    ++helpers_;
    Worker* worker = nullptr;
    while (threads_.empty() && !over()) {
        if (mayRun() && worker == nullptr) worker = takeWorker();
        if (mayRun() && worker != nullptr)
            giveTurn(lock, *worker, next());
        else
            glances_.wait_until(lock.waiting(), std::chrono::steady_clock::now() + kBetweenGlances);
    }
    leave(worker, ended);
}

}  // namespace zetl::emulator::machine
