/*
 * Source compatibility with the Level Zero tools API before version 1.0 (0.91 and 0.95). Programs written after the
 * first guides compile with this header and behave as they did: API tracing, metrics, program instrumentation, program
 * debug without registers, and system management up to the components' handles. C++ only. No other header includes it.
 *
 * Objects that once belonged to a device or driver and now belong to a context are created in a context that the header
 * keeps per driver. Where 0.91 begins a structure with `version` and 0.95 with `stype`, both name the same member, and
 * the `..._VERSION_CURRENT` constants are the structures' types. Names that have changed their meaning since
 * (zet_metric_tracer_exp functions, the value of ZET_STRUCTURE_TYPE_TRACER_DESC) have the present meaning in binaries.
 */
#ifndef ZE_TOOLS_LAYER_PRE_1_0_H
#define ZE_TOOLS_LAYER_PRE_1_0_H

#include <level_zero/zes_api.h>
#include <level_zero/zet_api.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

namespace zetl::pre_1_0 {

/// The driver's context for all objects created through these names. It lives as long as the process.
inline ze_result_t contextOf(ze_driver_handle_t driver, ze_context_handle_t& context) {
    static std::mutex mutex;
    static std::map<ze_driver_handle_t, ze_context_handle_t> contexts;
    const std::lock_guard<std::mutex> guard(mutex);
    auto& known = contexts[driver];
    const ze_context_desc_t description = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    const auto result = known ? ZE_RESULT_SUCCESS : zeContextCreate(driver, &description, &known);
    context = known;
    return result;
}

/// Whether the device, or its root device, belongs to the driver.
inline bool has(ze_driver_handle_t driver, ze_device_handle_t device) {
    std::uint32_t count = 0;
    if (zeDeviceGet(driver, &count, nullptr) != ZE_RESULT_SUCCESS) return false;
    std::vector<ze_device_handle_t> devices(count);
    if (zeDeviceGet(driver, &count, devices.data()) != ZE_RESULT_SUCCESS) return false;
    for (auto* root : devices) {
        if (root == device) return true;
        std::uint32_t parts = 0;
        if (zeDeviceGetSubDevices(root, &parts, nullptr) != ZE_RESULT_SUCCESS) continue;
        std::vector<ze_device_handle_t> all(parts);
        if (zeDeviceGetSubDevices(root, &parts, all.data()) != ZE_RESULT_SUCCESS) continue;
        for (auto* part : all)
            if (part == device) return true;
    }
    return false;
}

inline ze_result_t contextOf(ze_device_handle_t device, ze_context_handle_t& context) {
    if (!device) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    std::uint32_t count = 0;
    if (const auto result = zeDriverGet(&count, nullptr); result != ZE_RESULT_SUCCESS) return result;
    std::vector<ze_driver_handle_t> drivers(count);
    if (const auto result = zeDriverGet(&count, drivers.data()); result != ZE_RESULT_SUCCESS) return result;
    for (auto* driver : drivers)
        if (has(driver, device)) return contextOf(driver, context);
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

/// Calls make(context) with the context of a driver or device.
template <class Owner, class Make>
ze_result_t inContextOf(Owner owner, const Make& make) {
    ze_context_handle_t context = nullptr;
    const auto result = contextOf(owner, context);
    return result == ZE_RESULT_SUCCESS ? make(context) : result;
}

// Constructors let braces initialise structures that begin with a union, without compiler warnings.

/// The structure before `flags` became `type`.
struct QueryPoolDescription {
    union {
        zet_structure_type_t stype;
        zet_structure_type_t version;
    };
    const void* pNext;
    zet_metric_query_pool_type_t flags;
    std::uint32_t count;

    QueryPoolDescription(zet_structure_type_t type = {}, const void* next = nullptr,
                         zet_metric_query_pool_type_t poolFlags = {}, std::uint32_t queries = 0)
        : stype(type), pNext(next), flags(poolFlags), count(queries) {}
};

struct TracerDescription {
    union {
        zet_structure_type_t stype;
        zet_structure_type_t version;
    };
    const void* pNext;
    void* pUserData;

    TracerDescription(zet_structure_type_t type = {}, const void* next = nullptr, void* userData = nullptr)
        : stype(type), pNext(next), pUserData(userData) {}
};

/// Only 0.91 has these two names, without a type and a chain.
struct MetricTracerDescription {
    zet_structure_type_t version;
    std::uint32_t notifyEveryNReports;
    std::uint32_t samplingPeriod;
};
struct ProfileInfo {
    zet_structure_type_t version;
    zet_profile_flags_t flags;
    std::uint32_t numTokens;
};

/// Adds the queues that accept an event-based group, under the names of 0.91 and 0.95: today, every compute queue.
struct MetricGroupProperties {
    union {
        zet_structure_type_t stype;
        zet_structure_type_t version;
    };
    void* pNext;
    char name[ZET_MAX_METRIC_GROUP_NAME] = {};
    char description[ZET_MAX_METRIC_GROUP_DESCRIPTION] = {};
    zet_metric_group_sampling_type_flags_t samplingType = 0;
    std::uint32_t domain = 0;
    union {
        std::uint32_t maxCommandQueueOrdinal = 0;
        std::uint32_t maxCommandQueueGroupOrdinal;
    };
    std::uint32_t metricCount = 0;

    MetricGroupProperties(zet_structure_type_t type = {}, void* next = nullptr) : stype(type), pNext(next) {}
};

}  // namespace zetl::pre_1_0

/* Initialisation, and kernels, which were called functions. */

typedef ze_kernel_handle_t ze_function_handle_t;
inline ze_result_t zetInit(ze_init_flags_t flags) { return zeInit(flags); }

#define ZE_EVENT_POOL_FLAG_DEFAULT ZE_EVENT_POOL_FLAG_HOST_VISIBLE

inline ze_result_t zeEventPoolCreate(ze_driver_handle_t hDriver, const ze_event_pool_desc_t* desc,
                                     std::uint32_t numDevices, ze_device_handle_t* phDevices,
                                     ze_event_pool_handle_t* phEventPool) {
    return zetl::pre_1_0::inContextOf(hDriver, [&](ze_context_handle_t context) {
        return zeEventPoolCreate(context, desc, numDevices, phDevices, phEventPool);
    });
}

/* API tracing. The guide passes a device, the headers a driver. */

typedef zet_tracer_exp_handle_t zet_tracer_handle_t;
typedef zetl::pre_1_0::TracerDescription zet_tracer_desc_t;
typedef ze_command_list_append_launch_kernel_params_t ze_command_list_append_launch_function_params_t;
#define pfnAppendLaunchFunction pfnAppendLaunchKernelCb
#define ZET_STRUCTURE_TYPE_TRACER_DESC ZET_STRUCTURE_TYPE_TRACER_EXP_DESC
#define ZET_TRACER_DESC_VERSION_CURRENT ZET_STRUCTURE_TYPE_TRACER_EXP_DESC

template <class Owner>
ze_result_t zetTracerCreate(Owner hOwner, const zet_tracer_desc_t* desc, zet_tracer_handle_t* phTracer) {
    const zet_tracer_exp_desc_t today = {ZET_STRUCTURE_TYPE_TRACER_EXP_DESC, desc ? desc->pNext : nullptr,
                                         desc ? desc->pUserData : nullptr};
    return zetl::pre_1_0::inContextOf(hOwner, [&](ze_context_handle_t context) {
        return zetTracerExpCreate(context, desc ? &today : nullptr, phTracer);
    });
}
inline ze_result_t zetTracerDestroy(zet_tracer_handle_t hTracer) { return zetTracerExpDestroy(hTracer); }
inline ze_result_t zetTracerSetPrologues(zet_tracer_handle_t hTracer, zet_core_callbacks_t* pCoreCbs) {
    return zetTracerExpSetPrologues(hTracer, pCoreCbs);
}
inline ze_result_t zetTracerSetEpilogues(zet_tracer_handle_t hTracer, zet_core_callbacks_t* pCoreCbs) {
    return zetTracerExpSetEpilogues(hTracer, pCoreCbs);
}
inline ze_result_t zetTracerSetEnabled(zet_tracer_handle_t hTracer, ze_bool_t enable) {
    return zetTracerExpSetEnabled(hTracer, enable);
}

/* Metrics. Streamers were called tracers in 0.91. */

typedef zet_metric_group_sampling_type_flags_t zet_metric_group_sampling_type_t;
#define ZET_METRIC_GROUP_SAMPLING_TYPE_EVENT_BASED ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED
#define ZET_METRIC_GROUP_SAMPLING_TYPE_TIME_BASED ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED
#define ZET_METRIC_QUERY_POOL_FLAG_PERFORMANCE ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE
#define ZET_METRIC_QUERY_POOL_FLAG_SKIP_EXECUTION ZET_METRIC_QUERY_POOL_TYPE_EXECUTION
typedef zet_metric_query_pool_type_t zet_metric_query_pool_flag_t;
#define zet_metric_query_pool_desc_t zetl::pre_1_0::QueryPoolDescription
#define zet_metric_group_properties_t zetl::pre_1_0::MetricGroupProperties
#define ZET_METRIC_QUERY_POOL_DESC_VERSION_CURRENT ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC
#define ZET_METRIC_GROUP_PROPERTIES_VERSION_CURRENT ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES

inline ze_result_t zetMetricGroupGetProperties(zet_metric_group_handle_t hMetricGroup,
                                               zet_metric_group_properties_t* pProperties) {
    if (!hMetricGroup) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!pProperties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    _zet_metric_group_properties_t today{};
    today.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
    today.pNext = pProperties->pNext;
    if (const auto result = zetMetricGroupGetProperties(hMetricGroup, &today); result != ZE_RESULT_SUCCESS)
        return result;
    std::copy(std::begin(today.name), std::end(today.name), pProperties->name);
    std::copy(std::begin(today.description), std::end(today.description), pProperties->description);
    pProperties->samplingType = today.samplingType;
    pProperties->domain = today.domain;
    pProperties->metricCount = today.metricCount;
    pProperties->maxCommandQueueOrdinal = 0;
    return ZE_RESULT_SUCCESS;
}

inline ze_result_t zetDeviceActivateMetricGroups(ze_device_handle_t hDevice, std::uint32_t count,
                                                 zet_metric_group_handle_t* phMetricGroups) {
    return zetl::pre_1_0::inContextOf(hDevice, [&](ze_context_handle_t context) {
        return zetContextActivateMetricGroups(context, hDevice, count, phMetricGroups);
    });
}
inline ze_result_t zetMetricStreamerOpen(ze_device_handle_t hDevice, zet_metric_group_handle_t hMetricGroup,
                                         zet_metric_streamer_desc_t* desc, ze_event_handle_t hNotificationEvent,
                                         zet_metric_streamer_handle_t* phMetricStreamer) {
    return zetl::pre_1_0::inContextOf(hDevice, [&](ze_context_handle_t context) {
        return zetMetricStreamerOpen(context, hDevice, hMetricGroup, desc, hNotificationEvent, phMetricStreamer);
    });
}
inline ze_result_t zetMetricQueryPoolCreate(ze_device_handle_t hDevice, zet_metric_group_handle_t hMetricGroup,
                                            const zet_metric_query_pool_desc_t* desc,
                                            zet_metric_query_pool_handle_t* phMetricQueryPool) {
    if (!desc) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const _zet_metric_query_pool_desc_t today = {ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC, desc->pNext, desc->flags,
                                                 desc->count};
    return zetl::pre_1_0::inContextOf(hDevice, [&](ze_context_handle_t context) {
        return zetMetricQueryPoolCreate(context, hDevice, hMetricGroup, &today, phMetricQueryPool);
    });
}
inline ze_result_t zetCommandListAppendMetricQueryEnd(ze_command_list_handle_t hCommandList,
                                                      zet_metric_query_handle_t hMetricQuery,
                                                      ze_event_handle_t hSignalEvent) {
    return zetCommandListAppendMetricQueryEnd(hCommandList, hMetricQuery, hSignalEvent, 0, nullptr);
}
inline ze_result_t zetMetricGroupCalculateMetricValues(zet_metric_group_handle_t hMetricGroup, std::size_t rawDataSize,
                                                       const std::uint8_t* pRawData, std::uint32_t* pMetricValueCount,
                                                       zet_typed_value_t* pMetricValues) {
    return zetMetricGroupCalculateMetricValues(hMetricGroup, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES,
                                               rawDataSize, pRawData, pMetricValueCount, pMetricValues);
}

typedef zet_metric_streamer_handle_t zet_metric_tracer_handle_t;
typedef zetl::pre_1_0::MetricTracerDescription zet_metric_tracer_desc_t;
#define ZET_METRIC_TRACER_DESC_VERSION_CURRENT ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC

inline ze_result_t zetMetricTracerOpen(ze_device_handle_t hDevice, zet_metric_group_handle_t hMetricGroup,
                                       zet_metric_tracer_desc_t* desc, ze_event_handle_t hNotificationEvent,
                                       zet_metric_tracer_handle_t* phMetricTracer) {
    if (!desc) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    zet_metric_streamer_desc_t today = {ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, desc->notifyEveryNReports,
                                        desc->samplingPeriod};
    const auto result = zetMetricStreamerOpen(hDevice, hMetricGroup, &today, hNotificationEvent, phMetricTracer);
    desc->notifyEveryNReports = today.notifyEveryNReports;  // the device may change both to supported values
    desc->samplingPeriod = today.samplingPeriod;
    return result;
}
inline ze_result_t zetMetricTracerClose(zet_metric_tracer_handle_t hMetricTracer) {
    return zetMetricStreamerClose(hMetricTracer);
}
inline ze_result_t zetMetricTracerReadData(zet_metric_tracer_handle_t hMetricTracer, std::uint32_t maxReportCount,
                                           std::size_t* pRawDataSize, std::uint8_t* pRawData) {
    return zetMetricStreamerReadData(hMetricTracer, maxReportCount, pRawDataSize, pRawData);
}
inline ze_result_t zetCommandListAppendMetricTracerMarker(ze_command_list_handle_t hCommandList,
                                                          zet_metric_tracer_handle_t hMetricTracer,
                                                          std::uint32_t value) {
    return zetCommandListAppendMetricStreamerMarker(hCommandList, hMetricTracer, value);
}

/* Program instrumentation. */

typedef zetl::pre_1_0::ProfileInfo zet_profile_info_t;
#define ZET_PROFILE_INFO_VERSION_CURRENT ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES

inline ze_result_t zetKernelGetProfileInfo(ze_kernel_handle_t hKernel, zet_profile_info_t* pInfo) {
    if (!hKernel) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!pInfo) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    zet_profile_properties_t today{};
    today.stype = ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES;
    const auto result = zetKernelGetProfileInfo(hKernel, &today);
    pInfo->flags = today.flags;
    pInfo->numTokens = today.numTokens;
    return result;
}

/* System management. Its handle is the device handle (with ZES_ENABLE_SYSMAN=1), which today's functions take. */

typedef zes_device_handle_t zet_sysman_handle_t;
typedef enum { ZET_SYSMAN_VERSION_CURRENT = 0x10000 } zet_sysman_version_t;

inline ze_result_t zetSysmanGet(ze_device_handle_t hDevice, zet_sysman_version_t /*version*/,
                                zet_sysman_handle_t* phSysman) {
    if (!hDevice) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!phSysman) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *phSysman = reinterpret_cast<zes_device_handle_t>(hDevice);
    return ZE_RESULT_SUCCESS;
}
inline ze_result_t zetSysmanDeviceReset(zet_sysman_handle_t hSysman) { return zesDeviceReset(hSysman, false); }
inline ze_result_t zetSysmanProcessesGetState(zet_sysman_handle_t hSysman, std::uint32_t* pCount,
                                              zes_process_state_t* pProcesses) {
    return zesDeviceProcessesGetState(hSysman, pCount, pProcesses);
}
inline ze_result_t zetSysmanPciGetProperties(zet_sysman_handle_t hSysman, zes_pci_properties_t* pProperties) {
    return zesDevicePciGetProperties(hSysman, pProperties);
}
inline ze_result_t zetSysmanPciGetState(zet_sysman_handle_t hSysman, zes_pci_state_t* pState) {
    return zesDevicePciGetState(hSysman, pState);
}
inline ze_result_t zetSysmanPciGetBars(zet_sysman_handle_t hSysman, std::uint32_t* pCount,
                                       zes_pci_bar_properties_t* pProperties) {
    return zesDevicePciGetBars(hSysman, pCount, pProperties);
}
inline ze_result_t zetSysmanPciGetStats(zet_sysman_handle_t hSysman, zes_pci_stats_t* pStats) {
    return zesDevicePciGetStats(hSysman, pStats);
}

typedef zes_pwr_handle_t zet_sysman_pwr_handle_t;
inline ze_result_t zetSysmanPowerGet(zet_sysman_handle_t hSysman, std::uint32_t* pCount,
                                     zet_sysman_pwr_handle_t* phAll) {
    return zesDeviceEnumPowerDomains(hSysman, pCount, phAll);
}
typedef zes_freq_handle_t zet_sysman_freq_handle_t;
inline ze_result_t zetSysmanFrequencyGet(zet_sysman_handle_t hSysman, std::uint32_t* pCount,
                                         zet_sysman_freq_handle_t* phAll) {
    return zesDeviceEnumFrequencyDomains(hSysman, pCount, phAll);
}
typedef zes_engine_handle_t zet_sysman_engine_handle_t;
inline ze_result_t zetSysmanEngineGet(zet_sysman_handle_t hSysman, std::uint32_t* pCount,
                                      zet_sysman_engine_handle_t* phAll) {
    return zesDeviceEnumEngineGroups(hSysman, pCount, phAll);
}
typedef zes_standby_handle_t zet_sysman_standby_handle_t;
inline ze_result_t zetSysmanStandbyGet(zet_sysman_handle_t hSysman, std::uint32_t* pCount,
                                       zet_sysman_standby_handle_t* phAll) {
    return zesDeviceEnumStandbyDomains(hSysman, pCount, phAll);
}
typedef zes_firmware_handle_t zet_sysman_firmware_handle_t;
inline ze_result_t zetSysmanFirmwareGet(zet_sysman_handle_t hSysman, std::uint32_t* pCount,
                                        zet_sysman_firmware_handle_t* phAll) {
    return zesDeviceEnumFirmwares(hSysman, pCount, phAll);
}
typedef zes_mem_handle_t zet_sysman_mem_handle_t;
inline ze_result_t zetSysmanMemoryGet(zet_sysman_handle_t hSysman, std::uint32_t* pCount,
                                      zet_sysman_mem_handle_t* phAll) {
    return zesDeviceEnumMemoryModules(hSysman, pCount, phAll);
}
typedef zes_fabric_port_handle_t zet_sysman_fabric_port_handle_t;
inline ze_result_t zetSysmanFabricPortGet(zet_sysman_handle_t hSysman, std::uint32_t* pCount,
                                          zet_sysman_fabric_port_handle_t* phAll) {
    return zesDeviceEnumFabricPorts(hSysman, pCount, phAll);
}
typedef zes_temp_handle_t zet_sysman_temp_handle_t;
inline ze_result_t zetSysmanTemperatureGet(zet_sysman_handle_t hSysman, std::uint32_t* pCount,
                                           zet_sysman_temp_handle_t* phAll) {
    return zesDeviceEnumTemperatureSensors(hSysman, pCount, phAll);
}
typedef zes_psu_handle_t zet_sysman_psu_handle_t;
inline ze_result_t zetSysmanPsuGet(zet_sysman_handle_t hSysman, std::uint32_t* pCount, zet_sysman_psu_handle_t* phAll) {
    return zesDeviceEnumPsus(hSysman, pCount, phAll);
}
typedef zes_fan_handle_t zet_sysman_fan_handle_t;
inline ze_result_t zetSysmanFanGet(zet_sysman_handle_t hSysman, std::uint32_t* pCount, zet_sysman_fan_handle_t* phAll) {
    return zesDeviceEnumFans(hSysman, pCount, phAll);
}
typedef zes_led_handle_t zet_sysman_led_handle_t;
inline ze_result_t zetSysmanLedGet(zet_sysman_handle_t hSysman, std::uint32_t* pCount, zet_sysman_led_handle_t* phAll) {
    return zesDeviceEnumLeds(hSysman, pCount, phAll);
}
typedef zes_ras_handle_t zet_sysman_ras_handle_t;
inline ze_result_t zetSysmanRasGet(zet_sysman_handle_t hSysman, std::uint32_t* pCount, zet_sysman_ras_handle_t* phAll) {
    return zesDeviceEnumRasErrorSets(hSysman, pCount, phAll);
}
typedef zes_diag_handle_t zet_sysman_diag_handle_t;
inline ze_result_t zetSysmanDiagnosticsGet(zet_sysman_handle_t hSysman, std::uint32_t* pCount,
                                           zet_sysman_diag_handle_t* phAll) {
    return zesDeviceEnumDiagnosticTestSuites(hSysman, pCount, phAll);
}

#include <ze_tools_layer/pre_1_0_debug.h>

#endif
