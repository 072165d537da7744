// Who may change machine code before it is loaded.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "nvidia/driver/device/device.h"
#include "nvidia/driver/program/image.h"

namespace zetl::nvidia {

/// Gets a module's image, and gives what is to be loaded in its place, or nothing to keep it.
using Rewriter = std::function<std::optional<Bytes>(Device&, std::span<const std::uint8_t>)>;

/// At most one; an empty function removes it, and it is not called any more once this has returned.
void setRewriter(Rewriter rewriter);

/// The image as it is to be loaded.
Bytes rewritten(Device& device, Bytes image);

}  // namespace zetl::nvidia
