#include "emulator/machine/execution/by_thread.h"

#include <bit>

#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/execution/worker.h"

namespace zetl::emulator::machine {

void ByThread::round(GroupRound& round) {
    for (std::uint32_t index = 0; index < threads_.count();) {
        if (group_.halting.load(std::memory_order_relaxed) != 0) {
            prepareRest(round.worker);
            group_.tile().haltThreads(group_);
        }
        const ThreadMask able = threads_.live() & ~group_.stopped.load(std::memory_order_acquire);
        if ((able & bit(index)) == 0) {
            ++index;
            continue;
        }
        index = run(round, index);
        if (round.failed || group_.dispatch().stopping()) break;
    }
    prepareRest(round.worker);
}

std::uint32_t ByThread::run(GroupRound& round, std::uint32_t index) {
    prepareOne(round.worker, index, threads_.codeVersion());
    HardwareThread& thread = threads_[index];
    if (group_.mayRun(thread)) execute(round, thread);
    return index + 1;
}

void ByThread::execute(GroupRound& round, HardwareThread& thread) {
    isa::Thread& state = thread.state;
    History* const history = group_.tile().scheduler().history();
    if (history != nullptr) history->beforeTurn(round.worker, thread);
    threads_.attach(thread, round.worker, threads_.codeVersion());
    // Another thread's turn may be repeated alone, and additions that come later change what is watched at another
    // time.
    Watchpoints& watchpoints = group_.tile().watchpoints();
    const bool isWatched = watchpoints.isAny();
    if (history != nullptr || isWatched || group_.tile().conditions().isAny()) state.additions = nullptr;
    const OwnSpans own = isWatched ? watchpoints.hide(thread) : OwnSpans();
    const std::uint64_t before = state.executed;
    if (!thread.loadsArguments || threads_.loadArguments(thread))
        isa::resume(state, round.quantum.thread, isa::Windows::kept);
    if (own.isAny()) watchpoints.show(thread, own);
    if (history != nullptr) history->afterTurn(thread, round.quantum.thread, state.executed - before);
    round.ran = true;
    round.left -= static_cast<std::int64_t>(state.executed - before) + state.charged;
    round.failed = !group_.settle(thread, round.worker);
}

void ByThread::end(HardwareThread& thread, Worker& worker) {
    const std::uint32_t index = thread.index;
    threads_.hasEnded(index);
    if (ended_ == EndedState::givenBack) threads_.release(index, worker);
}

void ByThread::prepare(HardwareThread& thread, std::uint32_t index, std::uint64_t) { threads_.prepare(thread, index); }

void ByThread::prepareOne(Worker& worker, std::uint32_t index, std::uint64_t codeVersion) {
    if (!threads_.isUnprepared(index)) return;
    prepare(threads_.stateOf(index, worker), index, codeVersion);
    threads_.isPrepared(index);
}

void ByThread::prepareRest(Worker& worker) {
    const std::uint64_t version = threads_.codeVersion();
    for (ThreadMask rest = threads_.unprepared(); rest != 0; rest &= rest - 1)
        prepareOne(worker, static_cast<std::uint32_t>(std::countr_zero(rest)), version);
}

}  // namespace zetl::emulator::machine
