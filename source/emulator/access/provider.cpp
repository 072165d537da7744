#include "emulator/access/provider.h"

#include "emulator/access/sections.h"
#include "emulator/access/tool_hooks.h"
#include "emulator/driver/entry/extension_functions.h"

namespace zetl::emulator::access {
namespace {

const zetl_device_access_t* get(std::uint32_t version) noexcept { return version >= 1 ? &provider() : nullptr; }

}  // namespace

const zetl_device_access_t& provider() noexcept {
    static constexpr zetl_device_access_t kTables = {
        .size = sizeof kTables,
        .version = ZETL_DEVICE_ACCESS_VERSION,
        .provider = "emulated GPU",
        .devices = &kDeviceFunctions,
        .clocks = &kClockFunctions,
        .counters = &kCounterFunctions,
        .streams = &kStreamFunctions,
        .sampling = &kSamplingFunctions,
        .modules = &kModuleFunctions,
        .targets = &kTargetFunctions,
        .commands = &kCommandFunctions,
        .event_memory = &kEventMemoryFunctions,
    };
    return kTables;
}

void offer() {
    followDriver();
    const zetl_get_device_access_t function = get;
    driver::offerExtensionFunction(ZETL_DEVICE_ACCESS_FUNCTION, reinterpret_cast<void*>(function));
}

}  // namespace zetl::emulator::access
