#include "nvidia/access/provider.h"

#ifdef ZETL_NVIDIA_COUNTERS
#include "nvidia/access/command_times.h"
#endif
#include "nvidia/access/sections.h"
#include "nvidia/driver/device/driver.h"

namespace zetl::nvidia::access {
namespace {

const zetl_device_access_t* get(std::uint32_t version) noexcept { return version >= 1 ? &provider() : nullptr; }

#ifdef ZETL_NVIDIA_COUNTERS
constexpr const zetl_counter_functions_t* kCounters = &kCounterFunctions;
constexpr const zetl_stream_functions_t* kStreams = &kStreamFunctions;
constexpr const zetl_sampling_functions_t* kSampling = &kSamplingFunctions;
#else
constexpr const zetl_counter_functions_t* kCounters = nullptr;
constexpr const zetl_stream_functions_t* kStreams = nullptr;
constexpr const zetl_sampling_functions_t* kSampling = nullptr;
#endif

}  // namespace

const zetl_device_access_t& provider() noexcept {
    static constexpr zetl_device_access_t kTables = {
        .size = sizeof kTables,
        .version = ZETL_DEVICE_ACCESS_VERSION,
        .provider = "NVIDIA",
        .devices = &kDeviceFunctions,
        .clocks = &kClockFunctions,
        .counters = kCounters,
        .streams = kStreams,
        .sampling = kSampling,
        .modules = &kModuleFunctions,
        .targets = &kTargetFunctions,
        .commands = nullptr,
        .event_memory = nullptr,
    };
    return kTables;
}

void offer() {
    const zetl_get_device_access_t function = get;
    offerExtensionFunction(ZETL_DEVICE_ACCESS_FUNCTION, reinterpret_cast<void*>(function));
#ifdef ZETL_NVIDIA_COUNTERS
    const zetl_get_command_times_t times = commandTimes;
    offerExtensionFunction(ZETL_COMMAND_TIMES_FUNCTION, reinterpret_cast<void*>(times));
#endif
}

}  // namespace zetl::nvidia::access
