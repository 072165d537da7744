// The clocks of section "clocks": two of the device, and the host's CLOCK_MONOTONIC_RAW and CLOCK_REALTIME.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>

namespace zetl::provider {

/// Ticks per second of the host's clocks.
inline constexpr std::uint64_t kSecond = 1'000'000'000;

constexpr bool isClock(std::uint32_t kind) noexcept { return kind <= ZETL_CLOCK_HOST_REAL; }
constexpr bool ofDevice(std::uint32_t kind) noexcept {
    return kind == ZETL_CLOCK_DEVICE || kind == ZETL_CLOCK_COUNTERS;
}

/// The nanoseconds by which CLOCK_REALTIME is ahead of CLOCK_MONOTONIC_RAW now, modulo 2^64; it can be set at any time.
/// Accurate to a microsecond, unless the thread is held up in every one of several readings.
std::uint64_t realAhead() noexcept;
inline std::uint64_t realFromRaw(std::uint64_t raw) noexcept { return raw + realAhead(); }
inline std::uint64_t rawFromReal(std::uint64_t real) noexcept { return real - realAhead(); }

}  // namespace zetl::provider
