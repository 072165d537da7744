#include "emulator/machine/execution/shuffled.h"

#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/turn_order.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/execution/worker.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint32_t kShortestQuantum = 2;  // bits: from some instructions
constexpr std::uint32_t kQuanta = 8;           // to some hundred

std::int64_t quantumOf(std::uint64_t drawn) noexcept {
    const std::uint64_t bits = kShortestQuantum + drawn % kQuanta;
    return static_cast<std::int64_t>((std::uint64_t{1} << bits) + (drawn >> 32) % (std::uint64_t{1} << bits));
}

}  // namespace

bool Shuffled::isAble(std::uint32_t index) const noexcept {
    return (threads_.live() & ~group_.stopped.load(std::memory_order_acquire) & bit(index)) != 0;
}

void Shuffled::round(GroupRound& round) {
    const ActiveDispatch& dispatch = group_.dispatch();
    const TurnOrder& order = group_.tile().scheduler().order();
    prepareRest(round.worker);
    const std::uint64_t decision = (dispatch.numberOf(group_.id()) + 1) << 32 | ++rounds_;
    const std::uint64_t drawn = order.draw(dispatch.number(), decision);
    const Permutation turns(drawn, threads_.count());
    for (std::uint32_t turn = 0; turn < threads_.count() && !round.failed; ++turn) {
        if (group_.halting.load(std::memory_order_relaxed) != 0) group_.tile().haltThreads(group_);
        if (dispatch.stopping()) break;
        const auto index = static_cast<std::uint32_t>(turns[turn]);
        if (!isAble(index)) continue;
        const std::int64_t quantum = quantumOf(order.draw(dispatch.number(), drawn + turn));
        GroupRound own{round.worker, {quantum, quantum}, round.left};
        run(own, index);
        round.left = own.left;
        round.ran |= own.ran;
        round.failed = own.failed;
    }
}

}  // namespace zetl::emulator::machine
