#include "emulator/machine/model/group_barrier.h"

#include <algorithm>

namespace zetl::emulator::machine {

bool GroupBarrier::signal(std::uint32_t nth, std::uint64_t time) {
    if (phases_.size() <= nth) phases_.resize(nth + 1);
    ++phases_[nth].signals;
    phases_[nth].last = std::max(phases_[nth].last, time);
    return phases_[nth].signals >= live_;
}

bool GroupBarrier::open(std::uint32_t nth, std::uint64_t& since) const noexcept {
    if (nth >= phases_.size() || phases_[nth].signals < live_) return false;
    since = phases_[nth].last;
    return true;
}

}  // namespace zetl::emulator::machine
