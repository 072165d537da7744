/// @file
/// The channel of the log (ZETL_LOG) for the layer's own messages.
#pragma once

#include "base/log.h"

namespace zetl::layer {

inline constexpr auto kLog = log::Channel::layer;

}  // namespace zetl::layer
