// A descriptor as JSON: what exported data carry. Documented in docs/reference/metrics.md, "Exported data".
#pragma once

#include <string>
#include <string_view>

#include "metrics/calculation/descriptor.h"

namespace zetl::metrics {

std::string textOf(const Descriptor& descriptor);

/// Reads what textOf() wrote, in this version or a later one: keys that are not known are left out. The text is not
/// trusted. Throws DescriptionError. Whether layout and equations are sound says the Calculator.
Descriptor descriptorFrom(std::string_view text);

}  // namespace zetl::metrics
