// Reads a .gtpin_info record (interface version 5): facts about one kernel for instrumentation tools.
#pragma once

#include <span>

#include "binary/kernel_image.h"
#include "binary/outcome.h"

namespace zetl::binary {

/// Skips unknown tokens. Lengths that contradict each other are damaged.
Outcome<GtpinInfo> readGtpinInfo(std::span<const std::uint8_t> bytes);

}  // namespace zetl::binary
