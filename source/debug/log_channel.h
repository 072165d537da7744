/// @file
/// The channel of the log (ZETL_LOG) for this component.
#pragma once

#include "base/log.h"

namespace zetl::debug {

inline constexpr auto kLog = log::Channel::debug;

}  // namespace zetl::debug
