/// @file
/// The channel of the log (ZETL_LOG) that the layer itself writes to.
#pragma once

#include "base/log.h"

namespace zetl::layer {

inline constexpr auto kLog = log::Channel::layer;

}  // namespace zetl::layer
