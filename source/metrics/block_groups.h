// Metric groups of a device whose counters have names that no ready-made group knows.
#pragma once

#include <vector>

#include "device/device.h"
#include "metrics/catalogue/group_shape.h"

namespace zetl::metrics {

/// A group for each block of the device's catalogue and each sampling type, under the block's name: what every group
/// has, and a column for each counter of the block, with the device's words. They share a domain: nothing says that two
/// of them can be counted at once.
std::vector<GroupShape> blockGroups(const device::Device& device);

}  // namespace zetl::metrics
