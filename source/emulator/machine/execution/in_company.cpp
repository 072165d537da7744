#include "emulator/machine/execution/in_company.h"

#include <algorithm>
#include <bit>

#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/execution/worker.h"

namespace zetl::emulator::machine {

bool InCompany::isPossible() const noexcept {
    const Launch& launch = group_.dispatch().launch();
    return launch.barrierCount != 0 && launch.recordFrom == 0 && launch.code->program()->translations() != 0;
}

void InCompany::takeOver() {
    for (const auto& thread : threads_.states()) thread->state.strayed = true;
    beginning_.learn(*threads_[0].loaded, threads_[0].codeVersion);
}

void InCompany::prepare(HardwareThread& thread, std::uint32_t index, std::uint64_t codeVersion) {
    if (beginning_.fits(thread, codeVersion)) return beginning_.apply(thread, index);
    threads_.prepare(thread, index);
    beginning_.learn(*thread.loaded, thread.codeVersion);
}

/// Whether its threads may go on in host code without being looked at in between.
bool InCompany::mayGoOnAlone() const noexcept {
    return !group_.tile().isDebugged() && group_.stopped.load(std::memory_order_acquire) == 0;
}

void InCompany::round(GroupRound& round) {
    if (!mayGoOnAlone()) return ByThread::round(round);
    prepareRest(round.worker);
    gather(round);
    if (group_.taken.empty()) group_.dispatch().expectTake();
    for (std::uint32_t index = 0; index < threads_.count() && !round.failed; ++index) {
        if (group_.dispatch().stopping() || group_.halting.load(std::memory_order_relaxed) != 0) break;
        const bool stands = (group_.stopped.load(std::memory_order_acquire) & bit(index)) != 0;  // since it began
        if (stands || !group_.mayRun(threads_[index])) continue;
        round.ran = true;
        isa::Thread& first = threads_[index].state;
        isa::Thread& last = company_.run(first, beginning_.setsMode() && beginning_.isOf(first));
        round.failed = !group_.settle(HardwareThread::of(last), round.worker);
    }
    round.left -= static_cast<std::int64_t>(company_.end());
    for (const auto& thread : threads_.states()) {
        threads_.countTraffic(*thread);
        if (thread->state.status == isa::Status::done) end(*thread, round.worker);
    }
}

/// Makes the threads that have not ended a company.
void InCompany::gather(GroupRound& round) {
    const std::uint64_t version = threads_.codeVersion();
    const ThreadMask live = threads_.live();
    company_.begin(group_.barriers().barrier(0), std::max<std::int64_t>(round.quantum.turn / std::popcount(live), 1));
    for (const auto& thread : threads_.states()) {
        if ((live & bit(thread->index)) == 0) continue;
        threads_.attach(*thread, round.worker, version);
        company_.join(thread->state, group_.barriers().signalledIn(thread->index, 0));
    }
}

}  // namespace zetl::emulator::machine
