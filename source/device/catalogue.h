// The counters of a device.
#pragma once

#include <vector>

#include "device/device.h"

namespace zetl::device {

/// The counters of the device's chip, as its provider describes them; none if it counts nothing. The descriptions live
/// as long as the provider.
std::vector<const zetl_counter_info_t*> catalogueOf(const Device& device);

}  // namespace zetl::device
