/// @file
/// The channel of the log (ZETL_LOG) that this component writes to.
#pragma once

#include "base/log.h"

namespace zetl::debug {

inline constexpr auto kLog = log::Channel::debug;

}  // namespace zetl::debug
