#include "composition/composition.h"

#include <ze_tools_layer/breakpoints.h>
#include <ze_tools_layer/metric_error.h>
#include <ze_tools_layer/profile_tokens.h>

#include <atomic>

#include "base/handle_head.h"
#include "base/never_destroyed.h"
#include "driver/boundary.h"
#include "driver/tables.h"
#include "tools/entry.h"
#include "tools/named_entry.h"

namespace zetl::composition {
namespace {

template <class F>
F* served(const char* name) {
    return reinterpret_cast<F*>(driver::servedFunction(name));
}

device::CoreCalls coreCalls() {
    return {.deviceGetProperties = served<decltype(zeDeviceGetProperties)>("zeDeviceGetProperties"),
            .eventHostSignal = served<decltype(zeEventHostSignal)>("zeEventHostSignal"),
            .eventQueryStatus = served<decltype(zeEventQueryStatus)>("zeEventQueryStatus"),
            .commandListAppendBarrier = served<decltype(zeCommandListAppendBarrier)>("zeCommandListAppendBarrier"),
            .commandListIsImmediate = served<decltype(zeCommandListIsImmediate)>("zeCommandListIsImmediate"),
            .kernelGetName = served<decltype(zeKernelGetName)>("zeKernelGetName")};
}

const zetl_device_access_t* provided = nullptr;

std::span<const device::Access> offered() {
    static NeverDestroyed<Result<device::Access>> adopted(device::Access::adopt(provided));
    return *adopted ? std::span(&**adopted, 1) : std::span<const device::Access>();
}

/// Made at the first zeInit, since the Tools API's environment variables are read there. Never destroyed.
tools::Toolbox& toolbox() {
    static NeverDestroyed<tools::Toolbox> made(coreCalls(), tools::readSwitches(), offered());
    return *made;
}

/// The C function that calls a module's method.
template <class Served, class Signature = typename Served::Signature>
struct Entry;

template <class Served, class... A>
struct Entry<Served, ze_result_t(A...)> {
    static ze_result_t ZE_APICALL call(A... arguments) noexcept {
        if (const auto code = driver::admitted(Served::kEdge.function); code != ZE_RESULT_SUCCESS) return code;
        if (const auto code = Served::missing(arguments...); code != ZE_RESULT_SUCCESS) return code;
        return guarded(Served::kEdge, [&] {
            if constexpr (tools::kAnywhere<Served>)
                return Served::in(arguments...);
            else
                return Served::in(toolbox(), arguments...);
        });
    }
};

void serveTools() {
    tools::forEachServed(
        []<class Served>() { driver::serve(Served::kFunction, driver::entryOf(Entry<Served>::call)); });
}

// The driver's own functions before ours replaced them.
decltype(&zeInit) driverInit = nullptr;
decltype(&zeInitDrivers) driverInitDrivers = nullptr;
decltype(&zeEventDestroy) driverEventDestroy = nullptr;

constinit std::atomic<tools::Toolbox*> made{nullptr};

/// Passes the result of a driver's initialisation on, and makes the modules after success.
ze_result_t withTools(const char* function, ze_result_t result) noexcept {
    if (result != ZE_RESULT_SUCCESS) return result;
    return driver::boundary(function, [] {
        made.store(&toolbox(), std::memory_order_release);
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

/// A later event may get the handle of the destroyed one.
ze_result_t ZE_APICALL eventDestroy(ze_event_handle_t event) noexcept {
    if (auto* const tools = made.load(std::memory_order_acquire))
        tools->part(static_cast<metrics::Metrics*>(nullptr)).eventDestroyed(event);
    return driverEventDestroy(event);
}

void followEvents() {
    driverEventDestroy = served<decltype(zeEventDestroy)>("zeEventDestroy");
    driver::serve(ddi::Function::zeEventDestroy, driver::entryOf(eventDestroy));
}

constexpr ze_driver_extension_properties_t kExtensions[] = {
    {"ZET_experimental_calculate_multiple_metrics", ZE_MAKE_VERSION(1, 0)},
    {"ZET_experimental_metric_export_data", ZE_MAKE_VERSION(1, 0)},
    {"ZET_experimental_global_metric_timestamps", ZE_MAKE_VERSION(1, 0)},
    {"ZET_experimental_programmable_metrics", ZE_MAKE_VERSION(1, 1)},
    {"ZET_experimental_concurrent_metric_groups", ZE_MAKE_VERSION(1, 0)},
    {"ZET_experimental_metric_group_marker", ZE_MAKE_VERSION(1, 0)},
    {"ZET_experimental_metrics_runtime_enable_disable", ZE_MAKE_VERSION(1, 0)},
    {ZETL_PROFILE_TOKENS_EXTENSION, ZE_MAKE_VERSION(1, 0)},
    {ZETL_BREAKPOINTS_EXTENSION, ZE_MAKE_VERSION(1, 0)},
    {ZETL_METRIC_ERROR_EXTENSION, ZE_MAKE_VERSION(1, 0)},
};

constexpr ze_driver_extension_properties_t kExtensionsOfIntel[] = {
    {ZET_INTEL_METRIC_SCOPES_EXP_NAME, ZE_MAKE_VERSION(1, 1)},
    {ZET_INTEL_METRIC_CALCULATION_EXP_NAME, ZE_MAKE_VERSION(1, 1)},
    {ZET_INTEL_METRIC_TRACER_DECODE_EXP2_NAME, ZE_MAKE_VERSION(1, 0)},
    {ZET_INTEL_METRIC_TRACER_EXPORT_EXP_NAME, ZE_MAKE_VERSION(1, 0)},
    {ZET_INTEL_METRIC_HW_BUFFER_SIZE_EXP_NAME, ZE_MAKE_VERSION(1, 0)},
};

}  // namespace

void serveModules(const zetl_device_access_t& provider) {
    provided = &provider;
    handleHead() = driver::tablesOfHandles();
    followInit();
    followEvents();
    serveTools();
}

void serveNamesOfIntel() {
    tools::forEachNamed([]<class Served>() {
        driver::serveNamed({Served::kEdge.function, driver::entryOf(Entry<Served>::call)});
    });
}

std::span<const ze_driver_extension_properties_t> extensionsOfModules() noexcept { return kExtensions; }

std::span<const ze_driver_extension_properties_t> extensionsOfIntel() noexcept { return kExtensionsOfIntel; }

}  // namespace zetl::composition
