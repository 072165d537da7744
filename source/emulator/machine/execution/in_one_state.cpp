#include "emulator/machine/execution/in_one_state.h"

#include "emulator/machine/execution/lane.h"
#include "emulator/machine/execution/work_group.h"

namespace zetl::emulator::machine {

void InOneState::round(GroupRound& round) {
    ByThread::round(round);
    lane_.countTraffic();
}

std::uint32_t InOneState::run(GroupRound& round, std::uint32_t index) {
    if (!threads_.isUnprepared(index)) return ByThread::run(round, index);
    isa::Thread& state = lane_.begin(round.worker, index);
    threads_.isPrepared(index);
    isa::start(state, round.quantum.thread, lane_.beginning().setsMode());
    round.ran = true;
    round.left -= static_cast<std::int64_t>(state.executed) + state.charged;
    if (state.status == isa::Status::done && !group_.barrierIsMisused()) {
        threads_.hasEnded(index);
        return index + 1;
    }
    threads_.adopt(index, lane_.leave());
    round.failed = !group_.settle(threads_[index], round.worker);
    return index + 1;
}

}  // namespace zetl::emulator::machine
