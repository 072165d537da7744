// The text of groups/*.yaml, which the build puts into the library.
#pragma once

#include <span>

namespace zetl::metrics {

/// groups/metrics.yaml: every metric, once.
const char* embeddedMetrics() noexcept;
/// One text per group, in the order in which groups are listed.
std::span<const char* const> embeddedGroups() noexcept;

}  // namespace zetl::metrics
