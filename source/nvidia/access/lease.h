// The right to use a source of counters.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <memory>

#include "nvidia/access/range_profiler.h"
#include "nvidia/driver/device/device.h"

namespace zetl::nvidia::access {

/// Keeps the device at work.
struct Lease {
    Device* device;
    zetl_source_t source;
    std::shared_ptr<Device::Work> work;
    std::shared_ptr<RangeProfiler> ranges;  ///< the device's, for queries
};

}  // namespace zetl::nvidia::access
