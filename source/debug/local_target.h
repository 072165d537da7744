// A target that the device's own driver can reach: this process or, if the driver offers it, another.
#pragma once

#include "debug/target.h"

namespace zetl::debug {

Opened openLocalTarget(const device::Device& device, std::uint64_t pid, EventSink sink);

}  // namespace zetl::debug
