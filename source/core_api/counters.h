// The counters' catalogue, and plans for them.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "provider/word_plan.h"

namespace zetl::core_api {

inline constexpr std::uint64_t kShortestPeriod = 10'000;  ///< nanoseconds

/// The object behind a lease.
struct Lease {
    zetl_device_t device;
    zetl_source_t source;
};

/// The places of a plan's counters in a Row (fact_stream.h), in the plan's order; nothing if one is unknown.
std::optional<std::vector<std::size_t>> columnsOf(const provider::WordPlan& plan);

}  // namespace zetl::core_api
