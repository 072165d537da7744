// Entry points of zesDeviceEnum..., and of the components that the emulated device has
#include "base/enumerate.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/driver/sysman/engine_group.h"
#include "emulator/driver/sysman/entry_edge.h"
#include "emulator/driver/sysman/frequency_domain.h"
#include "emulator/driver/sysman/memory_module.h"

namespace zetl::emulator::driver {
namespace {

/// An enumeration of components that are there.
template <class T>
ze_result_t list(const char* function, zes_device_handle_t device, std::uint32_t* count,
                 typename T::Handle* out) noexcept {
    return onSysmanDevice(function, device, {count}, [&](Device& object) {
        const auto own = componentsOf<T>(object);
        return enumerate(static_cast<std::uint32_t>(own.size()), count, out, [&](auto i) { return own[i]->handle(); });
    });
}

ze_result_t ZE_APICALL listMemories(zes_device_handle_t device, std::uint32_t* count, zes_mem_handle_t* out) noexcept {
    return list<MemoryModule>("zesDeviceEnumMemoryModules", device, count, out);
}

ze_result_t ZE_APICALL listFrequencies(zes_device_handle_t device, std::uint32_t* count,
                                       zes_freq_handle_t* out) noexcept {
    return list<FrequencyDomain>("zesDeviceEnumFrequencyDomains", device, count, out);
}

ze_result_t ZE_APICALL listEngines(zes_device_handle_t device, std::uint32_t* count,
                                   zes_engine_handle_t* out) noexcept {
    return list<EngineGroup>("zesDeviceEnumEngineGroups", device, count, out);
}

/// An enumeration of what the emulated device has none of.
template <class T>
ze_result_t ZE_APICALL listNone(zes_device_handle_t device, std::uint32_t* count, T*) noexcept {
    return onSysmanDevice("zesDevice... (enumeration)", device, {count}, [&](Device&) {
        *count = 0;
        return ZE_RESULT_SUCCESS;
    });
}

/// One answer of a component, written by `write(component)`.
template <class T, class F>
ze_result_t ask(const char* function, typename T::Handle component, const void* out, F&& write) noexcept {
    return onObject<T>(function, component, {out}, [&](T& object) {
        write(object);
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getMemoryProperties(zes_mem_handle_t memory, zes_mem_properties_t* out) noexcept {
    return ask<MemoryModule>("zesMemoryGetProperties", memory, out, [&](auto& object) { object.describe(*out); });
}

ze_result_t ZE_APICALL getMemoryState(zes_mem_handle_t memory, zes_mem_state_t* out) noexcept {
    return ask<MemoryModule>("zesMemoryGetState", memory, out, [&](auto& object) { object.state(*out); });
}

ze_result_t ZE_APICALL getMemoryBandwidth(zes_mem_handle_t memory, zes_mem_bandwidth_t* out) noexcept {
    return ask<MemoryModule>("zesMemoryGetBandwidth", memory, out, [&](auto& object) { object.bandwidth(*out); });
}

ze_result_t ZE_APICALL getFrequencyProperties(zes_freq_handle_t domain, zes_freq_properties_t* out) noexcept {
    return ask<FrequencyDomain>("zesFrequencyGetProperties", domain, out, [&](auto& object) { object.describe(*out); });
}

ze_result_t ZE_APICALL getClocks(zes_freq_handle_t domain, std::uint32_t* count, double* out) noexcept {
    return onObject<FrequencyDomain>("zesFrequencyGetAvailableClocks", domain, {count}, [&](FrequencyDomain& object) {
        return enumerate(1, count, out, [&](auto) { return object.megahertz(); });
    });
}

ze_result_t ZE_APICALL getFrequencyRange(zes_freq_handle_t domain, zes_freq_range_t* out) noexcept {
    return ask<FrequencyDomain>("zesFrequencyGetRange", domain, out,
                                [&](auto& object) { out->min = out->max = object.megahertz(); });
}

ze_result_t ZE_APICALL getFrequencyState(zes_freq_handle_t domain, zes_freq_state_t* out) noexcept {
    return ask<FrequencyDomain>("zesFrequencyGetState", domain, out, [&](auto& object) { object.state(*out); });
}

/// The emulated clock is never slowed down.
ze_result_t ZE_APICALL getThrottleTime(zes_freq_handle_t domain, zes_freq_throttle_time_t* out) noexcept {
    return onObject<FrequencyDomain>("zesFrequencyGetThrottleTime", domain, {out}, [&](FrequencyDomain&) {
        *out = {0, sampleTime()};
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getEngineProperties(zes_engine_handle_t engine, zes_engine_properties_t* out) noexcept {
    return ask<EngineGroup>("zesEngineGetProperties", engine, out, [&](auto& object) { object.describe(*out); });
}

ze_result_t ZE_APICALL getActivity(zes_engine_handle_t engine, zes_engine_stats_t* out) noexcept {
    return ask<EngineGroup>("zesEngineGetActivity", engine, out, [&](auto& object) { *out = object.activity(); });
}

/// There are no virtual functions: the one entry is the physical one's.
ze_result_t ZE_APICALL getActivityExt(zes_engine_handle_t engine, std::uint32_t* count,
                                      zes_engine_stats_t* out) noexcept {
    return onObject<EngineGroup>("zesEngineGetActivityExt", engine, {count}, [&](EngineGroup& object) {
        return enumerate(1, count, out, [&](auto) { return object.activity(); });
    });
}

}  // namespace

Rows sysmanComponentRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zesDeviceEnumMemoryModules, listMemories),
        ZETL_SERVES(zesDeviceEnumFrequencyDomains, listFrequencies),
        ZETL_SERVES(zesDeviceEnumEngineGroups, listEngines),
        ZETL_SERVES(zesDeviceEnumDiagnosticTestSuites, listNone),
        ZETL_SERVES(zesDeviceEnumFabricPorts, listNone),
        ZETL_SERVES(zesDeviceEnumFans, listNone),
        ZETL_SERVES(zesDeviceEnumFirmwares, listNone),
        ZETL_SERVES(zesDeviceEnumLeds, listNone),
        ZETL_SERVES(zesDeviceEnumOverclockDomains, listNone),
        ZETL_SERVES(zesDeviceEnumPerformanceFactorDomains, listNone),
        ZETL_SERVES(zesDeviceEnumPowerDomains, listNone),
        ZETL_SERVES(zesDeviceEnumPsus, listNone),
        ZETL_SERVES(zesDeviceEnumRasErrorSets, listNone),
        ZETL_SERVES(zesDeviceEnumSchedulers, listNone),
        ZETL_SERVES(zesDeviceEnumStandbyDomains, listNone),
        ZETL_SERVES(zesDeviceEnumTemperatureSensors, listNone),
        ZETL_SERVES(zesDeviceEnumActiveVFExp, listNone),
        // Headers before specification 1.11 lack its declaration, which is that of the one above.
        Served{ddi::Function::zesDeviceEnumEnabledVFExp, entryOf<decltype(zesDeviceEnumActiveVFExp)>(listNone)},
        ZETL_SERVES(zesDevicePciGetBars, listNone),
        ZETL_SERVES(zesMemoryGetProperties, getMemoryProperties),
        ZETL_SERVES(zesMemoryGetState, getMemoryState),
        ZETL_SERVES(zesMemoryGetBandwidth, getMemoryBandwidth),
        ZETL_SERVES(zesFrequencyGetProperties, getFrequencyProperties),
        ZETL_SERVES(zesFrequencyGetAvailableClocks, getClocks),
        ZETL_SERVES(zesFrequencyGetRange, getFrequencyRange),
        ZETL_SERVES(zesFrequencyGetState, getFrequencyState),
        ZETL_SERVES(zesFrequencyGetThrottleTime, getThrottleTime),
        ZETL_SERVES(zesEngineGetProperties, getEngineProperties),
        ZETL_SERVES(zesEngineGetActivity, getActivity),
        ZETL_SERVES(zesEngineGetActivityExt, getActivityExt),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
