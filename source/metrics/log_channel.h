/// @file
/// The channel of the log (ZETL_LOG) for this component.
#pragma once

#include "base/log.h"

namespace zetl::metrics {

inline constexpr auto kLog = log::Channel::metrics;

}  // namespace zetl::metrics
