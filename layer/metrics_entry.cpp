// Metrics: groups, queries, streamers, tracers and programmable metrics.
// Every function checks its arguments and delegates (tools_entry.h).
#include "tools_entry.h"

using zetl::ddi::Function;
using zetl::layer::serve;
using zetl::layer::serveGuarded;

extern "C" {

ze_result_t ZE_APICALL zetMetricProgrammableGetExp(zet_device_handle_t hDevice, std::uint32_t* pCount,
                                                   zet_metric_programmable_exp_handle_t* phMetricProgrammables) {
    return serve<Function::zetMetricProgrammableGetExp>(hDevice, pCount, phMetricProgrammables);
}

ze_result_t ZE_APICALL zetMetricProgrammableGetPropertiesExp(zet_metric_programmable_exp_handle_t hMetricProgrammable,
                                                             zet_metric_programmable_exp_properties_t* pProperties) {
    return serve<Function::zetMetricProgrammableGetPropertiesExp>(hMetricProgrammable, pProperties);
}

ze_result_t ZE_APICALL zetMetricProgrammableGetParamInfoExp(zet_metric_programmable_exp_handle_t hMetricProgrammable,
                                                            std::uint32_t* pParameterCount,
                                                            zet_metric_programmable_param_info_exp_t* pParameterInfo) {
    return serve<Function::zetMetricProgrammableGetParamInfoExp>(hMetricProgrammable, pParameterCount, pParameterInfo);
}

ze_result_t ZE_APICALL zetMetricProgrammableGetParamValueInfoExp(
    zet_metric_programmable_exp_handle_t hMetricProgrammable, std::uint32_t parameterOrdinal,
    std::uint32_t* pValueInfoCount, zet_metric_programmable_param_value_info_exp_t* pValueInfo) {
    return serve<Function::zetMetricProgrammableGetParamValueInfoExp>(hMetricProgrammable, parameterOrdinal,
                                                                      pValueInfoCount, pValueInfo);
}

ze_result_t ZE_APICALL zetMetricTracerCreateExp(zet_context_handle_t hContext, zet_device_handle_t hDevice,
                                                std::uint32_t metricGroupCount,
                                                zet_metric_group_handle_t* phMetricGroups,
                                                zet_metric_tracer_exp_desc_t* desc,
                                                ze_event_handle_t hNotificationEvent,
                                                zet_metric_tracer_exp_handle_t* phMetricTracer) {
    return serve<Function::zetMetricTracerCreateExp>(hContext, hDevice, metricGroupCount, phMetricGroups, desc,
                                                     hNotificationEvent, phMetricTracer);
}

ze_result_t ZE_APICALL zetMetricTracerDestroyExp(zet_metric_tracer_exp_handle_t hMetricTracer) {
    return serve<Function::zetMetricTracerDestroyExp>(hMetricTracer);
}

ze_result_t ZE_APICALL zetMetricTracerEnableExp(zet_metric_tracer_exp_handle_t hMetricTracer, ze_bool_t synchronous) {
    return serve<Function::zetMetricTracerEnableExp>(hMetricTracer, synchronous);
}

ze_result_t ZE_APICALL zetMetricTracerDisableExp(zet_metric_tracer_exp_handle_t hMetricTracer, ze_bool_t synchronous) {
    return serve<Function::zetMetricTracerDisableExp>(hMetricTracer, synchronous);
}

ze_result_t ZE_APICALL zetMetricTracerReadDataExp(zet_metric_tracer_exp_handle_t hMetricTracer,
                                                  std::size_t* pRawDataSize, std::uint8_t* pRawData) {
    return serve<Function::zetMetricTracerReadDataExp>(hMetricTracer, pRawDataSize, pRawData);
}

ze_result_t ZE_APICALL zetMetricTracerDecodeExp(zet_metric_decoder_exp_handle_t phMetricDecoder,
                                                std::size_t* pRawDataSize, std::uint8_t* pRawData,
                                                std::uint32_t metricsCount, zet_metric_handle_t* phMetrics,
                                                std::uint32_t* pSetCount, std::uint32_t* pMetricEntriesCountPerSet,
                                                std::uint32_t* pMetricEntriesCount,
                                                zet_metric_entry_exp_t* pMetricEntries) {
    return serve<Function::zetMetricTracerDecodeExp>(phMetricDecoder, pRawDataSize, pRawData, metricsCount, phMetrics,
                                                     pSetCount, pMetricEntriesCountPerSet, pMetricEntriesCount,
                                                     pMetricEntries);
}

ze_result_t ZE_APICALL zetMetricDecoderCreateExp(zet_metric_tracer_exp_handle_t hMetricTracer,
                                                 zet_metric_decoder_exp_handle_t* phMetricDecoder) {
    return serve<Function::zetMetricDecoderCreateExp>(hMetricTracer, phMetricDecoder);
}

ze_result_t ZE_APICALL zetMetricDecoderDestroyExp(zet_metric_decoder_exp_handle_t phMetricDecoder) {
    return serve<Function::zetMetricDecoderDestroyExp>(phMetricDecoder);
}

ze_result_t ZE_APICALL zetMetricDecoderGetDecodableMetricsExp(zet_metric_decoder_exp_handle_t hMetricDecoder,
                                                              std::uint32_t* pCount, zet_metric_handle_t* phMetrics) {
    return serve<Function::zetMetricDecoderGetDecodableMetricsExp>(hMetricDecoder, pCount, phMetrics);
}

ze_result_t ZE_APICALL zetDeviceGetConcurrentMetricGroupsExp(zet_device_handle_t hDevice,
                                                             std::uint32_t metricGroupCount,
                                                             zet_metric_group_handle_t* phMetricGroups,
                                                             std::uint32_t* pMetricGroupsCountPerConcurrentGroup,
                                                             std::uint32_t* pConcurrentGroupCount) {
    return serve<Function::zetDeviceGetConcurrentMetricGroupsExp>(
        hDevice, metricGroupCount, phMetricGroups, pMetricGroupsCountPerConcurrentGroup, pConcurrentGroupCount);
}

ze_result_t ZE_APICALL zetDeviceCreateMetricGroupsFromMetricsExp(zet_device_handle_t hDevice, std::uint32_t metricCount,
                                                                 zet_metric_handle_t* phMetrics,
                                                                 const char* pMetricGroupNamePrefix,
                                                                 const char* pDescription,
                                                                 std::uint32_t* pMetricGroupCount,
                                                                 zet_metric_group_handle_t* phMetricGroup) {
    return serve<Function::zetDeviceCreateMetricGroupsFromMetricsExp>(
        hDevice, metricCount, phMetrics, pMetricGroupNamePrefix, pDescription, pMetricGroupCount, phMetricGroup);
}

ze_result_t ZE_APICALL zetDeviceEnableMetricsExp(zet_device_handle_t hDevice) {
    return serve<Function::zetDeviceEnableMetricsExp>(hDevice);
}

ze_result_t ZE_APICALL zetDeviceDisableMetricsExp(zet_device_handle_t hDevice) {
    return serve<Function::zetDeviceDisableMetricsExp>(hDevice);
}

ze_result_t ZE_APICALL zetContextActivateMetricGroups(zet_context_handle_t hContext, zet_device_handle_t hDevice,
                                                      std::uint32_t count, zet_metric_group_handle_t* phMetricGroups) {
    return serve<Function::zetContextActivateMetricGroups>(hContext, hDevice, count, phMetricGroups);
}

ze_result_t ZE_APICALL zetCommandListAppendMetricStreamerMarker(zet_command_list_handle_t hCommandList,
                                                                zet_metric_streamer_handle_t hMetricStreamer,
                                                                std::uint32_t value) {
    return serve<Function::zetCommandListAppendMetricStreamerMarker>(hCommandList, hMetricStreamer, value);
}

ze_result_t ZE_APICALL zetCommandListAppendMetricQueryBegin(zet_command_list_handle_t hCommandList,
                                                            zet_metric_query_handle_t hMetricQuery) {
    return serve<Function::zetCommandListAppendMetricQueryBegin>(hCommandList, hMetricQuery);
}

ze_result_t ZE_APICALL zetCommandListAppendMetricQueryEnd(zet_command_list_handle_t hCommandList,
                                                          zet_metric_query_handle_t hMetricQuery,
                                                          ze_event_handle_t hSignalEvent, std::uint32_t numWaitEvents,
                                                          ze_event_handle_t* phWaitEvents) {
    return serve<Function::zetCommandListAppendMetricQueryEnd>(hCommandList, hMetricQuery, hSignalEvent, numWaitEvents,
                                                               phWaitEvents);
}

ze_result_t ZE_APICALL zetCommandListAppendMetricMemoryBarrier(zet_command_list_handle_t hCommandList) {
    return serve<Function::zetCommandListAppendMetricMemoryBarrier>(hCommandList);
}

ze_result_t ZE_APICALL zetCommandListAppendMarkerExp(zet_command_list_handle_t hCommandList,
                                                     zet_metric_group_handle_t hMetricGroup, std::uint32_t value) {
    return serve<Function::zetCommandListAppendMarkerExp>(hCommandList, hMetricGroup, value);
}

ze_result_t ZE_APICALL zetMetricGet(zet_metric_group_handle_t hMetricGroup, std::uint32_t* pCount,
                                    zet_metric_handle_t* phMetrics) {
    return serve<Function::zetMetricGet>(hMetricGroup, pCount, phMetrics);
}

ze_result_t ZE_APICALL zetMetricGetProperties(zet_metric_handle_t hMetric, zet_metric_properties_t* pProperties) {
    return serve<Function::zetMetricGetProperties>(hMetric, pProperties);
}

ze_result_t ZE_APICALL zetMetricCreateFromProgrammableExp(zet_metric_programmable_exp_handle_t hMetricProgrammable,
                                                          zet_metric_programmable_param_value_exp_t* pParameterValues,
                                                          std::uint32_t parameterCount, const char* pName,
                                                          const char* pDescription, std::uint32_t* pMetricHandleCount,
                                                          zet_metric_handle_t* phMetricHandles) {
    return serve<Function::zetMetricCreateFromProgrammableExp>(hMetricProgrammable, pParameterValues, parameterCount,
                                                               pName, pDescription, pMetricHandleCount,
                                                               phMetricHandles);
}

ze_result_t ZE_APICALL zetMetricDestroyExp(zet_metric_handle_t hMetric) {
    return serve<Function::zetMetricDestroyExp>(hMetric);
}

ze_result_t ZE_APICALL zetMetricCreateFromProgrammableExp2(zet_metric_programmable_exp_handle_t hMetricProgrammable,
                                                           std::uint32_t parameterCount,
                                                           zet_metric_programmable_param_value_exp_t* pParameterValues,
                                                           const char* pName, const char* pDescription,
                                                           std::uint32_t* pMetricHandleCount,
                                                           zet_metric_handle_t* phMetricHandles) {
    return serve<Function::zetMetricCreateFromProgrammableExp2>(hMetricProgrammable, parameterCount, pParameterValues,
                                                                pName, pDescription, pMetricHandleCount,
                                                                phMetricHandles);
}

ze_result_t ZE_APICALL zetMetricGroupGet(zet_device_handle_t hDevice, std::uint32_t* pCount,
                                         zet_metric_group_handle_t* phMetricGroups) {
    return serve<Function::zetMetricGroupGet>(hDevice, pCount, phMetricGroups);
}

ze_result_t ZE_APICALL zetMetricGroupGetProperties(zet_metric_group_handle_t hMetricGroup,
                                                   zet_metric_group_properties_t* pProperties) {
    return serve<Function::zetMetricGroupGetProperties>(hMetricGroup, pProperties);
}

ze_result_t ZE_APICALL zetMetricGroupCalculateMetricValues(zet_metric_group_handle_t hMetricGroup,
                                                           zet_metric_group_calculation_type_t type,
                                                           std::size_t rawDataSize, const std::uint8_t* pRawData,
                                                           std::uint32_t* pMetricValueCount,
                                                           zet_typed_value_t* pMetricValues) {
    return serve<Function::zetMetricGroupCalculateMetricValues>(hMetricGroup, type, rawDataSize, pRawData,
                                                                pMetricValueCount, pMetricValues);
}

ze_result_t ZE_APICALL zetMetricGroupCalculateMultipleMetricValuesExp(
    zet_metric_group_handle_t hMetricGroup, zet_metric_group_calculation_type_t type, std::size_t rawDataSize,
    const std::uint8_t* pRawData, std::uint32_t* pSetCount, std::uint32_t* pTotalMetricValueCount,
    std::uint32_t* pMetricCounts, zet_typed_value_t* pMetricValues) {
    return serve<Function::zetMetricGroupCalculateMultipleMetricValuesExp>(
        hMetricGroup, type, rawDataSize, pRawData, pSetCount, pTotalMetricValueCount, pMetricCounts, pMetricValues);
}

ze_result_t ZE_APICALL zetMetricGroupGetGlobalTimestampsExp(zet_metric_group_handle_t hMetricGroup,
                                                            ze_bool_t synchronizedWithHost,
                                                            std::uint64_t* globalTimestamp,
                                                            std::uint64_t* metricTimestamp) {
    return serve<Function::zetMetricGroupGetGlobalTimestampsExp>(hMetricGroup, synchronizedWithHost, globalTimestamp,
                                                                 metricTimestamp);
}

ze_result_t ZE_APICALL zetMetricGroupGetExportDataExp(zet_metric_group_handle_t hMetricGroup,
                                                      const std::uint8_t* pRawData, std::size_t rawDataSize,
                                                      std::size_t* pExportDataSize, std::uint8_t* pExportData) {
    return serve<Function::zetMetricGroupGetExportDataExp>(hMetricGroup, pRawData, rawDataSize, pExportDataSize,
                                                           pExportData);
}

ze_result_t ZE_APICALL zetMetricGroupCalculateMetricExportDataExp(
    ze_driver_handle_t hDriver, zet_metric_group_calculation_type_t type, std::size_t exportDataSize,
    const std::uint8_t* pExportData, zet_metric_calculate_exp_desc_t* pCalculateDescriptor, std::uint32_t* pSetCount,
    std::uint32_t* pTotalMetricValueCount, std::uint32_t* pMetricCounts, zet_typed_value_t* pMetricValues) {
    return serve<Function::zetMetricGroupCalculateMetricExportDataExp>(
        hDriver, type, exportDataSize, pExportData, pCalculateDescriptor, pSetCount, pTotalMetricValueCount,
        pMetricCounts, pMetricValues);
}

ze_result_t ZE_APICALL zetMetricGroupCreateExp(zet_device_handle_t hDevice, const char* pName, const char* pDescription,
                                               zet_metric_group_sampling_type_flags_t samplingType,
                                               zet_metric_group_handle_t* phMetricGroup) {
    return serve<Function::zetMetricGroupCreateExp>(hDevice, pName, pDescription, samplingType, phMetricGroup);
}

ze_result_t ZE_APICALL zetMetricGroupAddMetricExp(zet_metric_group_handle_t hMetricGroup, zet_metric_handle_t hMetric,
                                                  std::size_t* pErrorStringSize, char* pErrorString) {
    return serve<Function::zetMetricGroupAddMetricExp>(hMetricGroup, hMetric, pErrorStringSize, pErrorString);
}

ze_result_t ZE_APICALL zetMetricGroupRemoveMetricExp(zet_metric_group_handle_t hMetricGroup,
                                                     zet_metric_handle_t hMetric) {
    return serve<Function::zetMetricGroupRemoveMetricExp>(hMetricGroup, hMetric);
}

ze_result_t ZE_APICALL zetMetricGroupCloseExp(zet_metric_group_handle_t hMetricGroup) {
    return serve<Function::zetMetricGroupCloseExp>(hMetricGroup);
}

ze_result_t ZE_APICALL zetMetricGroupDestroyExp(zet_metric_group_handle_t hMetricGroup) {
    return serve<Function::zetMetricGroupDestroyExp>(hMetricGroup);
}

ze_result_t ZE_APICALL zetMetricStreamerOpen(zet_context_handle_t hContext, zet_device_handle_t hDevice,
                                             zet_metric_group_handle_t hMetricGroup, zet_metric_streamer_desc_t* desc,
                                             ze_event_handle_t hNotificationEvent,
                                             zet_metric_streamer_handle_t* phMetricStreamer) {
    return serve<Function::zetMetricStreamerOpen>(hContext, hDevice, hMetricGroup, desc, hNotificationEvent,
                                                  phMetricStreamer);
}

ze_result_t ZE_APICALL zetMetricStreamerClose(zet_metric_streamer_handle_t hMetricStreamer) {
    return serve<Function::zetMetricStreamerClose>(hMetricStreamer);
}

ze_result_t ZE_APICALL zetMetricStreamerReadData(zet_metric_streamer_handle_t hMetricStreamer,
                                                 std::uint32_t maxReportCount, std::size_t* pRawDataSize,
                                                 std::uint8_t* pRawData) {
    return serve<Function::zetMetricStreamerReadData>(hMetricStreamer, maxReportCount, pRawDataSize, pRawData);
}

ze_result_t ZE_APICALL zetMetricQueryPoolCreate(zet_context_handle_t hContext, zet_device_handle_t hDevice,
                                                zet_metric_group_handle_t hMetricGroup,
                                                const zet_metric_query_pool_desc_t* desc,
                                                zet_metric_query_pool_handle_t* phMetricQueryPool) {
    // The type says whether a group is needed; drivers follow a null one.
    const auto guard = [&] {
        const bool missing = !hMetricGroup && desc->type != ZET_METRIC_QUERY_POOL_TYPE_EXECUTION;
        return missing ? std::optional(ZE_RESULT_ERROR_INVALID_NULL_HANDLE) : std::nullopt;
    };
    return serveGuarded<Function::zetMetricQueryPoolCreate>(guard, hContext, hDevice, hMetricGroup, desc,
                                                            phMetricQueryPool);
}

ze_result_t ZE_APICALL zetMetricQueryPoolDestroy(zet_metric_query_pool_handle_t hMetricQueryPool) {
    return serve<Function::zetMetricQueryPoolDestroy>(hMetricQueryPool);
}

ze_result_t ZE_APICALL zetMetricQueryCreate(zet_metric_query_pool_handle_t hMetricQueryPool, std::uint32_t index,
                                            zet_metric_query_handle_t* phMetricQuery) {
    return serve<Function::zetMetricQueryCreate>(hMetricQueryPool, index, phMetricQuery);
}

ze_result_t ZE_APICALL zetMetricQueryDestroy(zet_metric_query_handle_t hMetricQuery) {
    return serve<Function::zetMetricQueryDestroy>(hMetricQuery);
}

ze_result_t ZE_APICALL zetMetricQueryReset(zet_metric_query_handle_t hMetricQuery) {
    return serve<Function::zetMetricQueryReset>(hMetricQuery);
}

ze_result_t ZE_APICALL zetMetricQueryGetData(zet_metric_query_handle_t hMetricQuery, std::size_t* pRawDataSize,
                                             std::uint8_t* pRawData) {
    return serve<Function::zetMetricQueryGetData>(hMetricQuery, pRawDataSize, pRawData);
}

}  // extern "C"
