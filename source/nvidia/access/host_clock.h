// The host's two clocks: CLOCK_MONOTONIC_RAW, which the driver counts by, and CLOCK_REALTIME, which CUPTI does.
#pragma once

#include <cstdint>
#include <ctime>

#include "nvidia/driver/device/clock.h"

namespace zetl::nvidia::access {

/// Nanoseconds that CLOCK_REALTIME is ahead now; it can be set at any time.
inline std::uint64_t realAhead() noexcept {
    timespec real{};
    clock_gettime(CLOCK_REALTIME, &real);
    return static_cast<std::uint64_t>(real.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(real.tv_nsec) -
           DeviceClock::hostNanoseconds();
}
inline std::uint64_t realFromRaw(std::uint64_t raw) noexcept { return raw + realAhead(); }
inline std::uint64_t rawFromReal(std::uint64_t real) noexcept { return real - realAhead(); }

}  // namespace zetl::nvidia::access
