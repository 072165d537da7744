#include "emulator/peers/idle_time.h"

#include <algorithm>

namespace zetl::emulator::peers {

uint64_t IdleTime::of(uint64_t passed, uint64_t worked) noexcept {
    const int64_t left = static_cast<int64_t>(passed - worked) + forgiven_;
    forgiven_ += std::max<int64_t>(idle_ - left - kMostDebt, 0);
    idle_ = std::max(idle_, left);
    return static_cast<uint64_t>(idle_);
}

}  // namespace zetl::emulator::peers
