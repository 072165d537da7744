#include "tools.h"

#include <mutex>

#include "base/handle_head.h"
#include "base/log.h"
#include "base/settings.h"
#include "driver/dispatch_words.h"
#include "emulator/access/provider.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/object/boundary.h"
#include "emulator/driver/object/lifetime.h"
#include "tracers.h"

namespace zetl::emulated_gpu {
namespace {

namespace driver = emulator::driver;

template <class F>
F* served(const char* name) {
    return reinterpret_cast<F*>(driver::servedFunction(name));
}

device::CoreCalls coreCalls() {
    device::CoreCalls core;
    core.deviceGetProperties = served<decltype(zeDeviceGetProperties)>("zeDeviceGetProperties");
    core.eventHostSignal = served<decltype(zeEventHostSignal)>("zeEventHostSignal");
    core.eventQueryStatus = served<decltype(zeEventQueryStatus)>("zeEventQueryStatus");
    core.commandListAppendBarrier = served<decltype(zeCommandListAppendBarrier)>("zeCommandListAppendBarrier");
    return core;
}

device::Devices& withProvider(device::Devices& devices) {
    if (const auto access = device::Access::adopt(&emulator::access::provider())) devices.add(*access);
    return devices;
}

// What the driver's own functions were before ours took their place.
decltype(&zeInit) driverInit = nullptr;
decltype(&zeInitDrivers) driverInitDrivers = nullptr;

/// The answer of a driver's initialisation, and the modules made after success.
ze_result_t withTools(const char* function, ze_result_t result) noexcept {
    if (result != ZE_RESULT_SUCCESS) return result;
    return driver::boundary(function, [] {
        Tools::instance();
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL init(ze_init_flags_t flags) noexcept { return withTools("zeInit", driverInit(flags)); }

ze_result_t ZE_APICALL initDrivers(std::uint32_t* count, ze_driver_handle_t* drivers,
                                   ze_init_driver_type_desc_t* description) noexcept {
    return withTools("zeInitDrivers", driverInitDrivers(count, drivers, description));
}

void followInit() {
    driverInit = served<decltype(zeInit)>("zeInit");
    driverInitDrivers = served<decltype(zeInitDrivers)>("zeInitDrivers");
    driver::serve(ddi::Function::zeInit, driver::entryOf(init));
    driver::serve(ddi::Function::zeInitDrivers, driver::entryOf(initDrivers));
}

/// What tools look for before they call the functions.
constexpr ze_driver_extension_properties_t kExtensions[] = {
    {"ZET_experimental_calculate_multiple_metrics", ZE_MAKE_VERSION(1, 0)},
    {"ZET_experimental_global_metric_timestamps", ZE_MAKE_VERSION(1, 0)},
    {"ZET_experimental_concurrent_metric_groups", ZE_MAKE_VERSION(1, 0)},
    {"ZET_experimental_metric_group_marker", ZE_MAKE_VERSION(1, 0)},
    {"ZET_experimental_metrics_runtime_enable_disable", ZE_MAKE_VERSION(1, 0)},
};

}  // namespace

Tools::Tools()
    : devices_(coreCalls()),
      metrics_(withProvider(devices_), settings::enabled(settings::kMetrics)),
      pin_(devices_),
      debug_(devices_, debug::debuggee(settings::text(settings::kProgramDebugging).value_or(""))) {}

Tools& Tools::instance() {
    static auto* const tools = new Tools;
    return *tools;
}

void composeTools() noexcept {
    static std::once_flag once;
    try {
        std::call_once(once, [] {
            const auto words = driver::dispatchWords();
            handleHead() = {words.core, words.tools, words.sysman, words.runtime};
            for (const auto& extension : kExtensions) driver::offerExtension(extension);
            emulator::access::offer();
            followInit();
            serveTools();
            serveTracing();
        });
    } catch (const std::exception& failure) {
        log::error(log::Module::emulator, "the tools functions are not available: {}", failure.what());
    }
}

}  // namespace zetl::emulated_gpu
