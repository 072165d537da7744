/// @file
/// The channel of the log (ZETL_LOG) for this component.
#pragma once

#include "base/log.h"

namespace zetl::emulator::peers {

inline constexpr auto kLog = log::Channel::emulator;

}  // namespace zetl::emulator::peers
