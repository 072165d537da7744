// Options of streams that a provider keeps in memory of its own.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <algorithm>
#include <cstdint>

namespace zetl::provider {

inline constexpr std::uint64_t kFewestReports = 2;
inline constexpr std::uint64_t kMostReports = 65536;
inline constexpr std::uint64_t kLongestPeriod = 1'000'000'000;  ///< nanoseconds

/// Turns the requested period and capacity into granted ones.
inline void limit(zetl_stream_options_t& options, std::uint64_t shortestPeriod) noexcept {
    options.period_ns = std::clamp(options.period_ns, shortestPeriod, kLongestPeriod);
    options.capacity = std::clamp(options.capacity, kFewestReports, kMostReports);
}

}  // namespace zetl::provider
