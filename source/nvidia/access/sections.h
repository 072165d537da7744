// The function tables of the provider, one file each.
#pragma once

#include <ze_tools_layer/device_access.h>

namespace zetl::nvidia::access {

extern const zetl_device_functions_t kDeviceFunctions;      // devices.cpp
extern const zetl_clock_functions_t kClockFunctions;        // clocks.cpp
extern const zetl_counter_functions_t kCounterFunctions;    // counters.cpp
extern const zetl_stream_functions_t kStreamFunctions;      // streams.cpp
extern const zetl_sampling_functions_t kSamplingFunctions;  // sampling.cpp
extern const zetl_module_functions_t kModuleFunctions;      // modules.cpp
extern const zetl_target_functions_t kTargetFunctions;      // targets.cpp

}  // namespace zetl::nvidia::access
