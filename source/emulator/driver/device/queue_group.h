// Command queue groups: the kinds of engines of a device, and the number of each.
#pragma once

#include <vector>

#include "driver/queue_place.h"
#include "emulator/machine/profile.h"

namespace zetl::emulator::driver {

using zetl::driver::QueueGroup;

/// Compute engines, the main copy engine, and the link copy engines if there are any.
std::vector<QueueGroup> queueGroupsOf(const machine::DeviceProfile& profile);

}  // namespace zetl::emulator::driver
