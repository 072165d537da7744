#include "metrics/calculation/counter_clock.h"

#include <numeric>

namespace zetl::metrics {

Nanoseconds::Nanoseconds(const CounterClock& clock) noexcept {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    if (clock.ticksPerSecond == 0) return;
    const auto divisor = std::gcd(kSecond, clock.ticksPerSecond);
    numerator_ = kSecond / divisor;
    denominator_ = clock.ticksPerSecond / divisor;
    most_ = UINT64_MAX / numerator_;
}

std::uint64_t Nanoseconds::wide(std::uint64_t ticks) const noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{ticks} * numerator_ / denominator_);
}

}  // namespace zetl::metrics
