// Reads a .gtpin_info record (interface version 5): what instrumentation tools learn about one kernel.
#pragma once

#include <span>

#include "binary/kernel_image.h"
#include "binary/outcome.h"

namespace zetl::binary {

/// Unknown tokens are skipped; lengths that contradict each other are damaged.
Outcome<GtpinInfo> readGtpinInfo(std::span<const std::uint8_t> bytes);

}  // namespace zetl::binary
