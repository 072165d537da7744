// Command queue groups: the kinds of engines of a device, and the number of each.
#pragma once

#include <span>

#include "driver/queue_place.h"

namespace zetl::emulator::driver {

using zetl::driver::QueueGroup;

/// The groups of every device: compute engines, the main copy engine, the link copy engines.
std::span<const QueueGroup> queueGroups() noexcept;

}  // namespace zetl::emulator::driver
