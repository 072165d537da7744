#include "emulator/machine/scheduler.h"

#include <algorithm>
#include <system_error>

#include "base/log.h"
#include "base/threads.h"
#include "emulator/machine/tile_runtime.h"
#include "emulator/machine/worker.h"

namespace zetl::emulator::machine {
Scheduler::Scheduler(Quiescence& quiescence, uint32_t workers)
    : quiescence_(quiescence), count_(std::max(workers, 1u)) {}

Scheduler::~Scheduler() {
    {
        std::lock_guard guard(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Scheduler::enqueue(WorkGroup& group) {
    group.state = WorkGroup::State::queued;
    ActiveDispatch& dispatch = group.dispatch();
    dispatch.queued.push_back(&group);
    if (dispatch.queued.size() == 1) turns_.push_back(&dispatch);
    ++queued_;
    // Idle workers that were notified but did not wake yet are still counted, and so are their groups.
    if (queued_ > idle_ && workers_.size() < count_) {
        startWorker();
    } else {
        wake_.notify_one();
    }
}

void Scheduler::startWorker() {
    workers_.push_back(std::make_unique<Worker>(static_cast<uint32_t>(workers_.size()), quiescence_));
    try {
        threads_.push_back(startServiceThread([this, worker = workers_.back().get()] { work(*worker); }));
    } catch (const std::system_error& error) {
        workers_.pop_back();
        log::error(log::Module::emulator, "a worker thread could not be started ({}); {} are running", error.what(),
                   threads_.size());
    }
}

WorkGroup& Scheduler::next() {
    ActiveDispatch& dispatch = *turns_.front();
    turns_.pop_front();
    WorkGroup& group = *dispatch.queued.front();
    dispatch.queued.pop_front();
    if (!dispatch.queued.empty()) turns_.push_back(&dispatch);
    --queued_;
    return group;
}

void Scheduler::withdraw(WorkGroup& group) {
    ActiveDispatch& dispatch = group.dispatch();
    std::erase(dispatch.queued, &group);
    if (dispatch.queued.empty()) std::erase(turns_, &dispatch);
    --queued_;
}

void Scheduler::advance(const std::function<bool(const WorkGroup&)>& condition) {
    const auto wanted = [&](const WorkGroup* group) { return condition(*group); };
    for (ActiveDispatch* dispatch : turns_)
        std::stable_partition(dispatch->queued.begin(), dispatch->queued.end(), wanted);
    std::stable_partition(turns_.begin(), turns_.end(),
                          [&](const ActiveDispatch* dispatch) { return wanted(dispatch->queued.front()); });
}

TurnEnd Scheduler::runTurn(Worker& worker, WorkGroup& group) {
    worker.reader.enter();
    const TurnEnd end = group.turn(worker);
    worker.reader.leave();
    return end;
}

void Scheduler::work(Worker& worker) {
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_;
        wake_.wait(lock, [this] { return stopping_ || queued_ != 0; });
        --idle_;
        if (queued_ == 0) return;
        WorkGroup& group = next();
        group.state = WorkGroup::State::running;
        TileRuntime& tile = group.tile();
        tile.beginTurn(group, worker);
        lock.unlock();
        const TurnEnd end = runTurn(worker, group);
        tile.endTurn(group, end, worker);
        lock.lock();
    }
}

}  // namespace zetl::emulator::machine
