// Metric groups of a device whose counters have names that no ready-made group knows.
#pragma once

#include <vector>

#include "device/device.h"
#include "metrics/group_table.h"

namespace zetl::metrics {

/// Templates with the columns that they refer to. Movable; valid while the device's provider is loaded, whose texts the
/// columns are.
struct BlockTemplates {
    std::vector<std::vector<Column>> columns;
    std::vector<GroupTemplate> templates;
};

/// A template for each block of the device's catalogue, under the block's name: what every group has, and a column for
/// each counter of the block, with the device's words. They share a domain: nothing says that two of them can be
/// counted at once.
BlockTemplates blockTemplates(const device::Device& device);

}  // namespace zetl::metrics
