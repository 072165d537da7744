#include "modules.h"

#include <array>
#include <concepts>
#include <mutex>
#include <new>
#include <vector>

#include "base/log.h"
#include "debug/debugger.h"
#include "device/access.h"
#include "device/devices.h"
#include "metrics/metrics.h"
#include "next_function.h"
#include "pin/pin.h"
#include "tools_entry.h"

namespace zetl::layer {
namespace {

using ddi::Function;

/// The modules and what they stand on. Made when a driver first lacks a tools function, and only if one offers device
/// access; never destroyed.
struct Modules {
    device::Devices devices{{ZETL_NEXT(zeDeviceGetProperties), ZETL_NEXT(zeEventHostSignal),
                             ZETL_NEXT(zeEventQueryStatus), ZETL_NEXT(zeCommandListAppendBarrier)}};
    metrics::Metrics metrics{devices, toolsSwitches().metrics};
    debug::Debug debug{devices, debug::debuggee(toolsSwitches().programDebugging)};
    pin::Pin pin{devices};
};

std::vector<ze_driver_handle_t> drivers() {
    const auto get = ZETL_NEXT(zeDriverGet);
    uint32_t count = 0;
    if (!get || get(&count, nullptr) != ZE_RESULT_SUCCESS) return {};
    std::vector<ze_driver_handle_t> found(count);
    if (get(&count, found.data()) != ZE_RESULT_SUCCESS) return {};
    return found;
}

/// A driver that hands out tools functions by name has modules of its own on its device access. They hold the state of
/// its devices, so their answers are final: a second set of modules would hold another state.
bool hasModules(ze_driver_handle_t driver) {
    const auto lookUp = ZETL_NEXT(zeDriverGetExtensionFunctionAddress);
    for (std::size_t i = ddi::kTraced; i < ddi::kTraced + ddi::kTools; ++i) {
        const auto function = static_cast<Function>(i);
        void* address = nullptr;
        if (moduleFunction(function).ifServed &&
            lookUp(driver, ddi::row(function).name, &address) == ZE_RESULT_SUCCESS && address)
            return true;
    }
    return false;
}

Modules* make(const std::vector<ze_driver_handle_t>& drivers) {
    std::vector<device::Access> offered;
    for (const auto driver : drivers)
        if (auto access = device::Access::ofDriver(driver, ZETL_NEXT(zeDriverGetExtensionFunctionAddress)))
            if (!hasModules(driver)) offered.push_back(*access);
    if (offered.empty()) return nullptr;
    auto* const modules = new Modules;
    for (const auto& each : offered) modules->devices.add(each);
    return modules;
}

constinit std::atomic<Modules*> made{nullptr};

/// Asks the drivers once, as soon as there are any.
Modules* modules() {
    static constinit std::mutex mutex;
    static constinit bool asked = false;
    const std::lock_guard lock(mutex);
    if (asked) return made.load();
    const auto all = drivers();
    if (all.empty()) return nullptr;
    asked = true;
    made.store(make(all), std::memory_order_release);
    return made.load();
}

metrics::Metrics& part(Modules& all, metrics::Metrics*) { return all.metrics; }
debug::Debug& part(Modules& all, debug::Debug*) { return all.debug; }
pin::Pin& part(Modules& all, pin::Pin*) { return all.pin; }

template <class M, class H>
bool owns(M& module, H argument) {
    if constexpr (requires {
                      { module.owns(argument) } -> std::same_as<bool>;
                  } &&
                  std::is_pointer_v<H>)
        return module.owns(argument);
    else
        return false;
}

/// A module serves a call unless it names a device that is none of the module's.
template <class M, class H>
bool serves(M& module, H argument) {
    if constexpr (std::is_same_v<H, ze_device_handle_t>)
        return module.serves(argument);
    else
        return true;
}

template <class Call>
ze_result_t bounded(Function function, Call&& call) noexcept {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        log::error(log::Module::layer, "{}: out of memory", ddi::row(function).name);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    } catch (const std::exception& failure) {
        log::error(log::Module::layer, "{}: {}", ddi::row(function).name, failure.what());
        return ZE_RESULT_ERROR_UNKNOWN;
    }
}

template <Function F, auto Method>
struct Adapter;

template <Function F, class M, class... A, ze_result_t (M::*Method)(A...)>
struct Adapter<F, Method> {
    static ze_result_t ZE_APICALL ifOwned(A... arguments) {
        Modules* all = made.load(std::memory_order_acquire);
        if (!all) return kNotMine;
        return bounded(F, [&] {
            auto& module = part(*all, static_cast<M*>(nullptr));
            return (owns(module, arguments) || ...) ? (module.*Method)(arguments...) : kNotMine;
        });
    }
    static ze_result_t ZE_APICALL ifServed(A... arguments) {
        return bounded(F, [&] {
            Modules* all = modules();
            if (!all) return kNotMine;
            auto& module = part(*all, static_cast<M*>(nullptr));
            return (serves(module, arguments) && ...) ? (module.*Method)(arguments...) : kNotMine;
        });
    }
    static constexpr ddi::Function kFunction = F;
};

using Table = std::array<ModuleFunction, ddi::kTools>;

template <class... Adapters>
Table tableOf() {
    Table table{};
    ((table[ddi::index(Adapters::kFunction) - ddi::kTraced] = {reinterpret_cast<ddi::Address>(&Adapters::ifOwned),
                                                               reinterpret_cast<ddi::Address>(&Adapters::ifServed)}),
     ...);
    return table;
}

using debug::Debug;
using metrics::Metrics;
using pin::Pin;

Table implemented() {
    return tableOf<
        Adapter<Function::zetMetricGroupGet, &Metrics::groupGet>,
        Adapter<Function::zetMetricGroupGetProperties, &Metrics::groupGetProperties>,
        Adapter<Function::zetMetricGet, &Metrics::metricGet>,
        Adapter<Function::zetMetricGetProperties, &Metrics::metricGetProperties>,
        Adapter<Function::zetContextActivateMetricGroups, &Metrics::contextActivateMetricGroups>,
        Adapter<Function::zetDeviceGetConcurrentMetricGroupsExp, &Metrics::deviceGetConcurrentMetricGroupsExp>,
        Adapter<Function::zetMetricGroupGetGlobalTimestampsExp, &Metrics::groupGetGlobalTimestampsExp>,
        Adapter<Function::zetDeviceEnableMetricsExp, &Metrics::deviceEnableMetricsExp>,
        Adapter<Function::zetDeviceDisableMetricsExp, &Metrics::deviceDisableMetricsExp>,
        Adapter<Function::zetMetricProgrammableGetExp, &Metrics::programmableGetExp>,
        Adapter<Function::zetMetricGroupCalculateMetricValues, &Metrics::groupCalculateMetricValues>,
        Adapter<Function::zetMetricGroupCalculateMultipleMetricValuesExp,
                &Metrics::groupCalculateMultipleMetricValuesExp>,
        Adapter<Function::zetMetricStreamerOpen, &Metrics::streamerOpen>,
        Adapter<Function::zetMetricStreamerReadData, &Metrics::streamerReadData>,
        Adapter<Function::zetMetricStreamerClose, &Metrics::streamerClose>,
        Adapter<Function::zetCommandListAppendMetricStreamerMarker, &Metrics::commandListAppendMetricStreamerMarker>,
        Adapter<Function::zetCommandListAppendMarkerExp, &Metrics::commandListAppendMarkerExp>,
        Adapter<Function::zetMetricQueryPoolCreate, &Metrics::queryPoolCreate>,
        Adapter<Function::zetMetricQueryPoolDestroy, &Metrics::queryPoolDestroy>,
        Adapter<Function::zetMetricQueryCreate, &Metrics::queryCreate>,
        Adapter<Function::zetMetricQueryDestroy, &Metrics::queryDestroy>,
        Adapter<Function::zetMetricQueryReset, &Metrics::queryReset>,
        Adapter<Function::zetMetricQueryGetData, &Metrics::queryGetData>,
        Adapter<Function::zetCommandListAppendMetricQueryBegin, &Metrics::commandListAppendMetricQueryBegin>,
        Adapter<Function::zetCommandListAppendMetricQueryEnd, &Metrics::commandListAppendMetricQueryEnd>,
        Adapter<Function::zetCommandListAppendMetricMemoryBarrier, &Metrics::commandListAppendMetricMemoryBarrier>,
        Adapter<Function::zetModuleGetDebugInfo, &Pin::moduleGetDebugInfo>,
        Adapter<Function::zetKernelGetProfileInfo, &Pin::kernelGetProfileInfo>,
        Adapter<Function::zetDeviceGetDebugProperties, &Debug::deviceGetDebugProperties>,
        Adapter<Function::zetDebugAttach, &Debug::attach>, Adapter<Function::zetDebugDetach, &Debug::detach>,
        Adapter<Function::zetDebugReadEvent, &Debug::readEvent>,
        Adapter<Function::zetDebugAcknowledgeEvent, &Debug::acknowledgeEvent>,
        Adapter<Function::zetDebugInterrupt, &Debug::interrupt>, Adapter<Function::zetDebugResume, &Debug::resume>,
        Adapter<Function::zetDebugReadMemory, &Debug::readMemory>,
        Adapter<Function::zetDebugWriteMemory, &Debug::writeMemory>,
        Adapter<Function::zetDebugGetRegisterSetProperties, &Debug::getRegisterSetProperties>,
        Adapter<Function::zetDebugGetThreadRegisterSetProperties, &Debug::getThreadRegisterSetProperties>,
        Adapter<Function::zetDebugReadRegisters, &Debug::readRegisters>,
        Adapter<Function::zetDebugWriteRegisters, &Debug::writeRegisters>>();
}

}  // namespace

const ModuleFunction& moduleFunction(Function function) noexcept {
    static const Table table = implemented();
    return table[ddi::index(function) - ddi::kTraced];
}

}  // namespace zetl::layer
