// A descriptor as JSON, as in exported data. Documented in docs/reference/metrics.md, "Exported data".
#pragma once

#include <string>
#include <string_view>

#include "metrics/calculation/descriptor.h"

namespace zetl::metrics {

std::string textOf(const Descriptor& descriptor);

/// Reads the output of textOf(), of this version or a later one: unknown keys are ignored. The text is not trusted.
/// Throws DescriptionError. The Calculator checks whether layout and equations are sound.
Descriptor descriptorFrom(std::string_view text);

}  // namespace zetl::metrics
