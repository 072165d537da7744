// The function tables of the provider, one file each.
#pragma once

#include <ze_tools_layer/device_access.h>

namespace zetl::core_api {

extern const zetl_device_functions_t kDeviceFunctions;    // devices.cpp
extern const zetl_clock_functions_t kClockFunctions;      // clocks.cpp
extern const zetl_counter_functions_t kCounterFunctions;  // counters.cpp
extern const zetl_stream_functions_t kStreamFunctions;    // streams.cpp

}  // namespace zetl::core_api
