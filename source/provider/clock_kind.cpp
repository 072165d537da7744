#include "provider/clock_kind.h"

#include <ctime>

namespace zetl::provider {
namespace {

std::uint64_t nanosecondsOf(clockid_t clock) noexcept {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * kSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::uint64_t realAhead() noexcept {
    constexpr int kTries = 8;
    constexpr std::uint64_t kClose = 1'000;  // nanoseconds; undisturbed, three readings take a tenth of it
    std::uint64_t ahead = 0;
    std::uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < kTries && narrowest > kClose; ++i) {
        const auto before = nanosecondsOf(CLOCK_MONOTONIC_RAW);
        const auto real = nanosecondsOf(CLOCK_REALTIME);
        const auto width = nanosecondsOf(CLOCK_MONOTONIC_RAW) - before;
        if (width >= narrowest) continue;
        narrowest = width;
        ahead = real - (before + width / 2);
    }
    return ahead;
}

}  // namespace zetl::provider
