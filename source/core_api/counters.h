// The counters' catalogue, and plans for them.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace zetl::core_api {

inline constexpr std::uint64_t kShortestPeriod = 10'000;  ///< nanoseconds

/// The object behind a lease.
struct Lease {
    zetl_device_t device;
};
/// 0 if there is no such lease.
zetl_device_t deviceOfLease(zetl_lease_t id);

/// The places of a plan's counters in a Row (fact_stream.h), in the plan's order; nothing for bytes that are no plan of
/// a stream.
std::optional<std::vector<std::size_t>> columnsOf(const void* plan, std::uint64_t bytes);

}  // namespace zetl::core_api
