// The clocks of section "clocks": two of the device, and the host's CLOCK_MONOTONIC_RAW and CLOCK_REALTIME.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <ctime>

namespace zetl::provider {

/// Ticks of the host's clocks a second.
inline constexpr std::uint64_t kSecond = 1'000'000'000;

constexpr bool isClock(std::uint32_t kind) noexcept { return kind <= ZETL_CLOCK_HOST_REAL; }
constexpr bool ofDevice(std::uint32_t kind) noexcept {
    return kind == ZETL_CLOCK_DEVICE || kind == ZETL_CLOCK_COUNTERS;
}

/// Nanoseconds that CLOCK_REALTIME is ahead of CLOCK_MONOTONIC_RAW now, modulo 2^64; it can be set at any time.
inline std::uint64_t realAhead() noexcept {
    timespec real{};
    timespec raw{};
    clock_gettime(CLOCK_REALTIME, &real);
    clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
    return static_cast<std::uint64_t>(real.tv_sec - raw.tv_sec) * kSecond +
           static_cast<std::uint64_t>(real.tv_nsec - raw.tv_nsec);
}
inline std::uint64_t realFromRaw(std::uint64_t raw) noexcept { return raw + realAhead(); }
inline std::uint64_t rawFromReal(std::uint64_t real) noexcept { return real - realAhead(); }

}  // namespace zetl::provider
