// The examples of the guide before version 1.0, by the names that it uses, on the emulated GPU.
#include <ze_tools_layer/pre_1_0.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

// API tracing.

struct my_tracer_data_t {
    std::uint32_t instance;
};
struct my_instance_data_t {
    clock_t start;
};
unsigned entered = 0;

void OnEnterCommandListAppendLaunchKernel(ze_command_list_append_launch_function_params_t* params, ze_result_t, void*,
                                          void** ppTracerInstanceUserData) {
    auto* instance_data = static_cast<my_instance_data_t*>(std::malloc(sizeof(my_instance_data_t)));
    *ppTracerInstanceUserData = instance_data;
    instance_data->start = clock();
    entered += *params->phKernel ? 1 : 0;
}

void OnExitCommandListAppendLaunchKernel(ze_command_list_append_launch_function_params_t*, ze_result_t result,
                                         void* pTracerUserData, void** ppTracerInstanceUserData) {
    const clock_t end = clock();
    auto* tracer_data = static_cast<my_tracer_data_t*>(pTracerUserData);
    auto* instance_data = static_cast<my_instance_data_t*>(*ppTracerInstanceUserData);
    EXPECT_GE(end, instance_data->start);
    EXPECT_OK(result);
    ++tracer_data->instance;
    std::free(instance_data);
}

template <class Owner>
void tracingExample(const Gpu& gpu, Owner hOwner) {
    my_tracer_data_t tracer_data = {};
    zet_tracer_desc_t tracer_desc = {};
    tracer_desc.stype = ZET_STRUCTURE_TYPE_TRACER_DESC;
    tracer_desc.pUserData = &tracer_data;
    zet_tracer_handle_t hTracer;
    ASSERT_OK(zetTracerCreate(hOwner, &tracer_desc, &hTracer));
    zet_core_callbacks_t prologCbs = {};
    zet_core_callbacks_t epilogCbs = {};
    prologCbs.CommandList.pfnAppendLaunchFunction = OnEnterCommandListAppendLaunchKernel;
    epilogCbs.CommandList.pfnAppendLaunchFunction = OnExitCommandListAppendLaunchKernel;
    ASSERT_OK(zetTracerSetPrologues(hTracer, &prologCbs));
    ASSERT_OK(zetTracerSetEpilogues(hTracer, &epilogCbs));
    ASSERT_OK(zetTracerSetEnabled(hTracer, true));
    const ze_function_handle_t hFunction = gpu.kernel("writeIds", 64);
    Gpu::arguments(hFunction, gpu.shared<std::uint32_t>(64), std::uint32_t{1});
    const auto hCommandList = gpu.immediate();
    for (int i = 0; i < 3; ++i)
        ASSERT_OK(zeCommandListAppendLaunchKernel(hCommandList, hFunction, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(zetTracerSetEnabled(hTracer, false));
    ASSERT_OK(zeCommandListAppendLaunchKernel(hCommandList, hFunction, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(zetTracerDestroy(hTracer));
    EXPECT_EQ(tracer_data.instance, 3u);
}

SCENARIO(pre10Tracing) {
    ASSERT_OK(zetInit(0));
    const Gpu gpu;
    tracingExample(gpu, gpu.device());
    tracingExample(gpu, gpu.driver());
    EXPECT_EQ(entered, 6u);
    zet_tracer_handle_t hTracer;
    EXPECT_EQ(zetTracerCreate(ze_device_handle_t(nullptr), nullptr, &hTracer), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    zet_tracer_desc_t byPosition = {ZET_STRUCTURE_TYPE_TRACER_DESC, nullptr, &hTracer};
    EXPECT_EQ(byPosition.pUserData, &hTracer);
    zet_tracer_desc_t oldest = {};
    oldest.version = ZET_TRACER_DESC_VERSION_CURRENT;
    ASSERT_OK(zetTracerCreate(gpu.driver(), &oldest, &hTracer));
    EXPECT_OK(zetTracerDestroy(hTracer));
    EXPECT_EQ(zetTracerCreate(gpu.driver(), nullptr, &hTracer), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}
TEST(Pre10, Tracing) { EXPECT_RUNS(emulated("pre10Tracing").with("ZET_ENABLE_API_TRACING_EXP", "1")); }

// Metrics.

ze_result_t FindMetricGroup(ze_device_handle_t hDevice, const char* pMetricGroupName,
                            zet_metric_group_sampling_type_t desiredSamplingType,
                            zet_metric_group_handle_t* phMetricGroup) {
    std::uint32_t metricGroupCount = 0;
    zetMetricGroupGet(hDevice, &metricGroupCount, nullptr);
    std::vector<zet_metric_group_handle_t> phMetricGroups(metricGroupCount);
    zetMetricGroupGet(hDevice, &metricGroupCount, phMetricGroups.data());
    for (std::uint32_t i = 0; i < metricGroupCount; i++) {
        zet_metric_group_properties_t metricGroupProperties{};
        metricGroupProperties.version = ZET_METRIC_GROUP_PROPERTIES_VERSION_CURRENT;
        metricGroupProperties.maxCommandQueueOrdinal = 99;
        zetMetricGroupGetProperties(phMetricGroups[i], &metricGroupProperties);
        EXPECT_EQ(metricGroupProperties.maxCommandQueueOrdinal, 0u);
        EXPECT_EQ(metricGroupProperties.maxCommandQueueGroupOrdinal, 0u);
        EXPECT_GT(metricGroupProperties.metricCount, 0u);
        if ((metricGroupProperties.samplingType & desiredSamplingType) == desiredSamplingType &&
            std::strcmp(pMetricGroupName, metricGroupProperties.name) == 0) {
            *phMetricGroup = phMetricGroups[i];
            return ZE_RESULT_SUCCESS;
        }
    }
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

/// The number of reports, each with a value for every metric.
std::uint32_t CalculateMetricsExample(zet_metric_group_handle_t hMetricGroup,
                                      const std::vector<std::uint8_t>& rawData) {
    std::uint32_t numMetricValues = 0;
    EXPECT_OK(
        zetMetricGroupCalculateMetricValues(hMetricGroup, rawData.size(), rawData.data(), &numMetricValues, nullptr));
    std::vector<zet_typed_value_t> metricValues(numMetricValues);
    EXPECT_OK(zetMetricGroupCalculateMetricValues(hMetricGroup, rawData.size(), rawData.data(), &numMetricValues,
                                                  metricValues.data()));
    std::uint32_t metricCount = 0;
    EXPECT_OK(zetMetricGet(hMetricGroup, &metricCount, nullptr));
    EXPECT_EQ(numMetricValues % metricCount, 0u);
    return numMetricValues / metricCount;
}

void runWorkload(const Gpu& gpu, ze_command_list_handle_t hCommandList) {
    const auto kernel = gpu.kernel("writeIds", 64);
    Gpu::arguments(kernel, gpu.shared<std::uint32_t>(64), std::uint32_t{1});
    ASSERT_OK(zeCommandListAppendLaunchKernel(hCommandList, kernel, &kOneGroup, nullptr, 0, nullptr));
}

SCENARIO(pre10TimeBased) {
    const Gpu gpu;
    ze_device_handle_t hDevice = gpu.device();
    zet_metric_group_handle_t hMetricGroup = nullptr;
    ze_event_handle_t hNotificationEvent = nullptr;
    ze_event_pool_handle_t hEventPool = nullptr;
    ze_event_pool_desc_t eventPoolDesc = {ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_DEFAULT, 1};
    ze_event_desc_t eventDesc = {ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, 0};
    zet_metric_streamer_handle_t hMetricStreamer = nullptr;
    zet_metric_streamer_desc_t metricStreamerDesc = {ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 0, 0};
    ASSERT_OK(FindMetricGroup(hDevice, "ComputeBasic", ZET_METRIC_GROUP_SAMPLING_TYPE_TIME_BASED, &hMetricGroup));
    ASSERT_OK(zetDeviceActivateMetricGroups(hDevice, 1, &hMetricGroup));
    ASSERT_OK(zeEventPoolCreate(gpu.driver(), &eventPoolDesc, 1, &hDevice, &hEventPool));
    eventDesc.signal = ZE_EVENT_SCOPE_FLAG_HOST;
    eventDesc.wait = ZE_EVENT_SCOPE_FLAG_HOST;
    ASSERT_OK(zeEventCreate(hEventPool, &eventDesc, &hNotificationEvent));
    metricStreamerDesc.samplingPeriod = 1'000'000;
    metricStreamerDesc.notifyEveryNReports = 2;
    ASSERT_OK(zetMetricStreamerOpen(hDevice, hMetricGroup, &metricStreamerDesc, hNotificationEvent, &hMetricStreamer));
    const auto hCommandList = gpu.immediate();
    runWorkload(gpu, hCommandList);
    ASSERT_OK(zetCommandListAppendMetricStreamerMarker(hCommandList, hMetricStreamer, 7));
    ASSERT_OK(zeEventHostSynchronize(hNotificationEvent, 20'000'000'000));
    std::size_t rawSize = 0;
    ASSERT_OK(zetMetricStreamerReadData(hMetricStreamer, UINT32_MAX, &rawSize, nullptr));
    std::vector<std::uint8_t> rawData(rawSize);
    ASSERT_OK(zetMetricStreamerReadData(hMetricStreamer, UINT32_MAX, &rawSize, rawData.data()));
    rawData.resize(rawSize);
    ASSERT_OK(zetMetricStreamerClose(hMetricStreamer));
    ASSERT_OK(zeEventDestroy(hNotificationEvent));
    // By its name of 0.91.
    std::size_t size = 0;
    zet_metric_tracer_handle_t hMetricTracer = nullptr;
    zet_metric_tracer_desc_t metricTracerDesc = {ZET_METRIC_TRACER_DESC_VERSION_CURRENT, 100, 1'000'000};
    ASSERT_OK(zetMetricTracerOpen(hDevice, hMetricGroup, &metricTracerDesc, nullptr, &hMetricTracer));
    EXPECT_OK(zetMetricTracerReadData(hMetricTracer, 1, &size, nullptr));
    EXPECT_GT(size, 0u);
    ASSERT_OK(zetMetricTracerClose(hMetricTracer));
    ASSERT_OK(zeEventPoolDestroy(hEventPool));
    ASSERT_OK(zetDeviceActivateMetricGroups(hDevice, 0, nullptr));
    EXPECT_GE(CalculateMetricsExample(hMetricGroup, rawData), 2u);
}
TEST(Pre10, TimeBasedMetrics) { EXPECT_RUNS(emulated("pre10TimeBased").with("ZET_ENABLE_METRICS", "1")); }

SCENARIO(pre10Query) {
    const Gpu gpu;
    ze_device_handle_t hDevice = gpu.device();
    zet_metric_group_handle_t hMetricGroup = nullptr;
    ze_event_handle_t hCompletionEvent = nullptr;
    ze_event_pool_desc_t eventPoolDesc = {ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, 0, 0};
    ze_event_desc_t eventDesc = {ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, 0};
    ze_event_pool_handle_t hEventPool = nullptr;
    zet_metric_query_pool_handle_t hMetricQueryPool = nullptr;
    zet_metric_query_handle_t hMetricQuery = nullptr;
    zet_metric_query_pool_desc_t queryPoolDesc = {ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC, nullptr,
                                                  ZET_METRIC_QUERY_POOL_FLAG_PERFORMANCE, 0};
    ASSERT_OK(FindMetricGroup(hDevice, "ComputeBasic", ZET_METRIC_GROUP_SAMPLING_TYPE_EVENT_BASED, &hMetricGroup));
    ASSERT_OK(zetDeviceActivateMetricGroups(hDevice, 1, &hMetricGroup));
    queryPoolDesc.version = ZET_METRIC_QUERY_POOL_DESC_VERSION_CURRENT;
    queryPoolDesc.flags = ZET_METRIC_QUERY_POOL_FLAG_PERFORMANCE;
    queryPoolDesc.count = 1000;
    ASSERT_OK(zetMetricQueryPoolCreate(hDevice, hMetricGroup, &queryPoolDesc, &hMetricQueryPool));
    eventPoolDesc.flags = ZE_EVENT_POOL_FLAG_DEFAULT;
    eventPoolDesc.count = 1000;
    ASSERT_OK(zeEventPoolCreate(gpu.driver(), &eventPoolDesc, 1, &hDevice, &hEventPool));
    const auto hCommandList = gpu.immediate();
    ASSERT_OK(zetMetricQueryCreate(hMetricQueryPool, 0, &hMetricQuery));
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(hCommandList, hMetricQuery));
    runWorkload(gpu, hCommandList);
    eventDesc.signal = ZE_EVENT_SCOPE_FLAG_HOST;
    eventDesc.wait = ZE_EVENT_SCOPE_FLAG_HOST;
    ASSERT_OK(zeEventCreate(hEventPool, &eventDesc, &hCompletionEvent));
    ASSERT_OK(zetCommandListAppendMetricQueryEnd(hCommandList, hMetricQuery, hCompletionEvent));
    ASSERT_OK(zeEventHostSynchronize(hCompletionEvent, 20'000'000'000));
    std::size_t rawSize = 0;
    ASSERT_OK(zetMetricQueryGetData(hMetricQuery, &rawSize, nullptr));
    std::vector<std::uint8_t> rawData(rawSize);
    ASSERT_OK(zetMetricQueryGetData(hMetricQuery, &rawSize, rawData.data()));
    ASSERT_OK(zeEventDestroy(hCompletionEvent));
    ASSERT_OK(zeEventPoolDestroy(hEventPool));
    ASSERT_OK(zetMetricQueryDestroy(hMetricQuery));
    ASSERT_OK(zetMetricQueryPoolDestroy(hMetricQueryPool));
    ASSERT_OK(zetDeviceActivateMetricGroups(hDevice, 0, nullptr));
    EXPECT_EQ(CalculateMetricsExample(hMetricGroup, rawData), 1u);
    EXPECT_EQ(zetMetricQueryPoolCreate(hDevice, hMetricGroup, nullptr, &hMetricQueryPool),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}
TEST(Pre10, MetricQuery) { EXPECT_RUNS(emulated("pre10Query").with("ZET_ENABLE_METRICS", "1")); }

SCENARIO(pre10Instrumentation) {
    const Gpu gpu;
    zet_profile_info_t info = {ZET_PROFILE_INFO_VERSION_CURRENT, 99, 99};
    ze_kernel_handle_t kernel = nullptr;
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "add"};
    const auto module = gpu.module("-zet-profile-flags 2");
    ASSERT_OK(zeKernelCreate(module, &description, &kernel));
    ASSERT_OK(zetKernelGetProfileInfo(kernel, &info));
    EXPECT_EQ(info.flags, 2u);
    EXPECT_EQ(info.numTokens, 0u);
    EXPECT_EQ(zetKernelGetProfileInfo(kernel, static_cast<zet_profile_info_t*>(nullptr)),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    std::size_t size = 0;
    ASSERT_OK(zetModuleGetDebugInfo(module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, &size, nullptr));
    std::vector<std::uint8_t> debugInfo(size);
    ASSERT_OK(zetModuleGetDebugInfo(module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, &size, debugInfo.data()));
    ASSERT_GT(size, 4u);
    EXPECT_EQ(std::memcmp(debugInfo.data(),
                          "\x7f"
                          "ELF",
                          4),
              0);
    // What a tool has changed is built as the application's own binary is, which goes the same way.
    ASSERT_OK(zeModuleGetNativeBinary(module, &size, nullptr));
    std::vector<std::uint8_t> native(size);
    ASSERT_OK(zeModuleGetNativeBinary(module, &size, native.data()));
    const ze_module_desc_t instrumented{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_NATIVE, size, native.data(), nullptr, nullptr};
    ze_module_handle_t hModule = nullptr;
    ASSERT_OK(zeModuleCreate(gpu.context(), gpu.device(), &instrumented, &hModule, nullptr));
    void* function = nullptr;
    EXPECT_OK(zeModuleGetFunctionPointer(hModule, "add", &function));
    EXPECT_NE(function, nullptr);
}
TEST(Pre10, Instrumentation) { EXPECT_RUNS(emulated("pre10Instrumentation")); }

/// What a list's first call answers.
template <class T>
std::pair<ze_result_t, std::uint32_t> counted(ze_result_t(ZE_APICALL* get)(zes_device_handle_t, std::uint32_t*, T*),
                                              zes_device_handle_t device) {
    std::uint32_t count = 0;
    const auto result = get(device, &count, nullptr);
    return {result, count};
}
#define EXPECT_SAME(old, today) EXPECT_EQ(counted(old, sysman), counted(today, sysman))

SCENARIO(pre10SysmanLists) {
    const Gpu gpu;
    zet_sysman_handle_t sysman = nullptr;
    ASSERT_OK(zetSysmanGet(gpu.device(), ZET_SYSMAN_VERSION_CURRENT, &sysman));
    EXPECT_SAME(zetSysmanPowerGet, zesDeviceEnumPowerDomains);
    EXPECT_SAME(zetSysmanFrequencyGet, zesDeviceEnumFrequencyDomains);
    EXPECT_SAME(zetSysmanEngineGet, zesDeviceEnumEngineGroups);
    EXPECT_SAME(zetSysmanStandbyGet, zesDeviceEnumStandbyDomains);
    EXPECT_SAME(zetSysmanFirmwareGet, zesDeviceEnumFirmwares);
    EXPECT_SAME(zetSysmanMemoryGet, zesDeviceEnumMemoryModules);
    EXPECT_SAME(zetSysmanFabricPortGet, zesDeviceEnumFabricPorts);
    EXPECT_SAME(zetSysmanTemperatureGet, zesDeviceEnumTemperatureSensors);
    EXPECT_SAME(zetSysmanPsuGet, zesDeviceEnumPsus);
    EXPECT_SAME(zetSysmanFanGet, zesDeviceEnumFans);
    EXPECT_SAME(zetSysmanLedGet, zesDeviceEnumLeds);
    EXPECT_SAME(zetSysmanRasGet, zesDeviceEnumRasErrorSets);
    EXPECT_SAME(zetSysmanDiagnosticsGet, zesDeviceEnumDiagnosticTestSuites);
    EXPECT_SAME(zetSysmanProcessesGetState, zesDeviceProcessesGetState);
    EXPECT_SAME(zetSysmanPciGetBars, zesDevicePciGetBars);
    zes_pci_properties_t then{};
    zes_pci_properties_t now{};
    EXPECT_EQ(zetSysmanPciGetProperties(sysman, &then), zesDevicePciGetProperties(sysman, &now));
    EXPECT_EQ(then.address.bus, now.address.bus);
    zes_pci_state_t state{};
    EXPECT_EQ(zetSysmanPciGetState(sysman, &state), zesDevicePciGetState(sysman, &state));
    zes_pci_stats_t stats{};
    EXPECT_EQ(zetSysmanPciGetStats(sysman, &stats), zesDevicePciGetStats(sysman, &stats));
    EXPECT_EQ(zetSysmanDeviceReset(sysman), zesDeviceReset(sysman, false));
}
TEST(Pre10, SysmanLists) { EXPECT_RUNS(emulated("pre10SysmanLists").with("ZES_ENABLE_SYSMAN", "1")); }

SCENARIO(pre10Sysman) {
    const Gpu gpu;
    zet_sysman_handle_t sysman = nullptr;
    EXPECT_EQ(zetSysmanGet(nullptr, ZET_SYSMAN_VERSION_CURRENT, &sysman), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zetSysmanGet(gpu.device(), ZET_SYSMAN_VERSION_CURRENT, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    ASSERT_OK(zetSysmanGet(gpu.device(), ZET_SYSMAN_VERSION_CURRENT, &sysman));
    const auto memories = listOf(zetSysmanMemoryGet, sysman);
    ASSERT_FALSE(memories.empty());
    zes_mem_properties_t memory{};
    memory.stype = ZES_STRUCTURE_TYPE_MEM_PROPERTIES;
    EXPECT_OK(zesMemoryGetProperties(memories[0], &memory));
    EXPECT_EQ(memory.location, ZES_MEM_LOC_DEVICE);
    EXPECT_FALSE(listOf(zetSysmanFrequencyGet, sysman).empty());
    EXPECT_FALSE(listOf(zetSysmanEngineGet, sysman).empty());
    std::uint32_t count = 0;
    EXPECT_EQ(zetSysmanFanGet(nullptr, &count, nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}
TEST(Pre10, Sysman) { EXPECT_RUNS(emulated("pre10Sysman").with("ZES_ENABLE_SYSMAN", "1")); }

}  // namespace
}  // namespace zetl::test
