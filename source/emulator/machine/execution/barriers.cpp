#include "emulator/machine/execution/barriers.h"

#include <fmt/format.h>

#include <algorithm>

namespace zetl::emulator::machine {

void Barriers::reset(std::uint32_t threads, std::uint32_t barriers) {
    barriers_.assign(std::max(barriers, 1u), {});
    phases_.assign(threads * barriers_.size(), 0);
    problem_.clear();
}

bool Barriers::signal(std::uint32_t thread, const isa::BarrierSignal& signal) {
    if (signal.id >= barriers_.size()) {
        problem_ = fmt::format("signals barrier {}, but the kernel has {}", signal.id, barriers_.size());
        return false;
    }
    isa::GroupBarrier& barrier = barriers_[signal.id];
    if (barrier.producers != 0 && signal.producers != 0 && barrier.producers != signal.producers) {
        problem_ = fmt::format("signals barrier {} for {} producers, others for {}", signal.id, signal.producers,
                               barrier.producers);
        return false;
    }
    signalledIn(thread, signal.id) = barrier.phase;
    if (signal.producers != 0) barrier.producers = signal.producers;
    if (signal.role != isa::BarrierSignal::Role::consumer) ++barrier.arrived;
    if (barrier.arrived >= barrier.producers) barrier = {barrier.phase + 1, 0, 0};
    return true;
}

bool Barriers::open(std::uint32_t thread, std::uint8_t id) const noexcept {
    if (id >= barriers_.size()) return false;
    return barriers_[id].phase > phases_[thread * barriers_.size() + id];
}

std::string Barriers::describe(std::uint8_t id) const {
    if (id >= barriers_.size()) return fmt::format("barrier {}, which the kernel does not have", id);
    const isa::GroupBarrier& barrier = barriers_[id];
    return fmt::format("barrier {}: {} of {} producers have signalled", id, barrier.arrived, barrier.producers);
}

}  // namespace zetl::emulator::machine
