#include "core_api/provider.h"

#include "core_api/sections.h"

namespace zetl::core_api {

const zetl_device_access_t& provider() noexcept {
    static constexpr zetl_device_access_t kTables = {
        .size = sizeof kTables,
        .version = ZETL_DEVICE_ACCESS_VERSION,
        .provider = "core API",
        .devices = &kDeviceFunctions,
        .clocks = &kClockFunctions,
        .counters = &kCounterFunctions,
        .streams = &kStreamFunctions,
        .sampling = nullptr,
        .modules = nullptr,
        .targets = nullptr,
        .commands = nullptr,
        .event_memory = nullptr,
    };
    return kTables;
}

}  // namespace zetl::core_api
