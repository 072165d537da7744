// Metric groups for a device whose counter names are in no ready-made group.
#pragma once

#include <vector>

#include "device/device.h"
#include "metrics/catalogue/group_shape.h"

namespace zetl::metrics {

/// One group per block of the device's catalogue and per sampling type, with the block's name. It has the columns of
/// every group, and one per counter of the block, with the device's names. All share a domain, since it is not known
/// whether two of them can be counted at the same time.
std::vector<GroupShape> blockGroups(const device::Device& device);

}  // namespace zetl::metrics
