// The function tables of the provider, one file each, and the code that their functions share.
#pragma once

#include <ze_tools_layer/device_access.h>

#include "provider/guarded.h"

namespace zetl::emulator::access {

extern const zetl_device_functions_t kDeviceFunctions;             // devices.cpp
extern const zetl_clock_functions_t kClockFunctions;               // clocks.cpp
extern const zetl_counter_functions_t kCounterFunctions;           // counters.cpp, queries.cpp
extern const zetl_stream_functions_t kStreamFunctions;             // streams.cpp
extern const zetl_sampling_functions_t kSamplingFunctions;         // sampling.cpp
extern const zetl_module_functions_t kModuleFunctions;             // modules.cpp
extern const zetl_target_functions_t kTargetFunctions;             // targets.cpp
extern const zetl_command_functions_t kCommandFunctions;           // commands.cpp
extern const zetl_event_memory_functions_t kEventMemoryFunctions;  // event_memory.cpp

/// Runs the body of an interface function and catches exceptions: none may be thrown through C.
template <class F>
zetl_status_t guarded(F&& body) noexcept {
    return provider::guarded(log::Channel::emulator, body);
}

}  // namespace zetl::emulator::access
