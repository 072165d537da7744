// The text of groups/*.yaml, as the build puts it into the library.
#pragma once

#include <span>

namespace zetl::metrics {

/// groups/metrics.yaml: every metric, once.
const char* embeddedMetrics() noexcept;
/// One text a group, in the order in which groups are listed.
std::span<const char* const> embeddedGroups() noexcept;

}  // namespace zetl::metrics
