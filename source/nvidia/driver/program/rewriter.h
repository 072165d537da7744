// Lets a tool change machine code before it is loaded.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "nvidia/driver/device/device.h"
#include "nvidia/driver/program/image.h"

namespace zetl::nvidia {

/// Gets a module's image, and returns the image to load in its place, or nothing to keep it.
using Rewriter = std::function<std::optional<Bytes>(Device&, std::span<const std::uint8_t>)>;

/// At most one. An empty function removes it; once this has returned, the former one is not called any more.
void setRewriter(Rewriter rewriter);

/// The image to load.
Bytes rewritten(Device& device, Bytes image);

}  // namespace zetl::nvidia
