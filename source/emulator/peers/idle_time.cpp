#include "emulator/peers/idle_time.h"

#include <algorithm>

namespace zetl::emulator::peers {

std::uint64_t IdleTime::of(std::uint64_t passed, std::uint64_t worked) noexcept {
    const std::int64_t left = static_cast<std::int64_t>(passed - worked) + forgiven_;
    forgiven_ += std::max<std::int64_t>(idle_ - left - kMostDebt, 0);
    idle_ = std::max(idle_, left);
    return static_cast<std::uint64_t>(idle_);
}

}  // namespace zetl::emulator::peers
