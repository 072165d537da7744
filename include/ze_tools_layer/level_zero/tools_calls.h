/*
 * The 15 functions added to the Tools API after specification 1.9 (1.17 has 69). declare.h describes the rows.
 */
#pragma once

#include "ze_tools_layer/level_zero/declare.h"
#include "ze_tools_layer/level_zero/spec.h"
#include "ze_tools_layer/level_zero/tools_types.h"

#define ZETL_TOOLS_CALLS_1_11(ROW)                                                                                  \
    ROW(zet, ze_result_t, MetricCreateFromProgrammableExp2, metric_create_from_programmable_exp2,                   \
        (zet_metric_programmable_exp_handle_t, hMetricProgrammable), (uint32_t, parameterCount),                    \
        (zet_metric_programmable_param_value_exp_t*, pParameterValues), (const char*, pName),                       \
        (const char*, pDescription), (uint32_t*, pMetricHandleCount), (zet_metric_handle_t*, phMetricHandles))      \
    ROW(zet, ze_result_t, DeviceCreateMetricGroupsFromMetricsExp, device_create_metric_groups_from_metrics_exp,     \
        (zet_device_handle_t, hDevice), (uint32_t, metricCount), (zet_metric_handle_t*, phMetrics),                 \
        (const char*, pMetricGroupNamePrefix), (const char*, pDescription), (uint32_t*, pMetricGroupCount),         \
        (zet_metric_group_handle_t*, phMetricGroup))                                                                \
    ROW(zet, ze_result_t, DeviceGetConcurrentMetricGroupsExp, device_get_concurrent_metric_groups_exp,              \
        (zet_device_handle_t, hDevice), (uint32_t, metricGroupCount), (zet_metric_group_handle_t*, phMetricGroups), \
        (uint32_t*, pMetricGroupsCountPerConcurrentGroup), (uint32_t*, pConcurrentGroupCount))                      \
    ROW(zet, ze_result_t, MetricTracerCreateExp, metric_tracer_create_exp, (zet_context_handle_t, hContext),        \
        (zet_device_handle_t, hDevice), (uint32_t, metricGroupCount), (zet_metric_group_handle_t*, phMetricGroups), \
        (zet_metric_tracer_exp_desc_t*, desc), (ze_event_handle_t, hNotificationEvent),                             \
        (zet_metric_tracer_exp_handle_t*, phMetricTracer))                                                          \
    ROW(zet, ze_result_t, MetricTracerDestroyExp, metric_tracer_destroy_exp,                                        \
        (zet_metric_tracer_exp_handle_t, hMetricTracer))                                                            \
    ROW(zet, ze_result_t, MetricTracerEnableExp, metric_tracer_enable_exp,                                          \
        (zet_metric_tracer_exp_handle_t, hMetricTracer), (ze_bool_t, synchronous))                                  \
    ROW(zet, ze_result_t, MetricTracerDisableExp, metric_tracer_disable_exp,                                        \
        (zet_metric_tracer_exp_handle_t, hMetricTracer), (ze_bool_t, synchronous))                                  \
    ROW(zet, ze_result_t, MetricTracerReadDataExp, metric_tracer_read_data_exp,                                     \
        (zet_metric_tracer_exp_handle_t, hMetricTracer), (size_t*, pRawDataSize), (uint8_t*, pRawData))             \
    ROW(zet, ze_result_t, MetricDecoderCreateExp, metric_decoder_create_exp,                                        \
        (zet_metric_tracer_exp_handle_t, hMetricTracer), (zet_metric_decoder_exp_handle_t*, phMetricDecoder))       \
    ROW(zet, ze_result_t, MetricDecoderDestroyExp, metric_decoder_destroy_exp,                                      \
        (zet_metric_decoder_exp_handle_t, phMetricDecoder))                                                         \
    ROW(zet, ze_result_t, MetricDecoderGetDecodableMetricsExp, metric_decoder_get_decodable_metrics_exp,            \
        (zet_metric_decoder_exp_handle_t, hMetricDecoder), (uint32_t*, pCount), (zet_metric_handle_t*, phMetrics))  \
    ROW(zet, ze_result_t, MetricTracerDecodeExp, metric_tracer_decode_exp,                                          \
        (zet_metric_decoder_exp_handle_t, phMetricDecoder), (size_t*, pRawDataSize), (uint8_t*, pRawData),          \
        (uint32_t, metricsCount), (zet_metric_handle_t*, phMetrics), (uint32_t*, pSetCount),                        \
        (uint32_t*, pMetricEntriesCountPerSet), (uint32_t*, pMetricEntriesCount),                                   \
        (zet_metric_entry_exp_t*, pMetricEntries))

#define ZETL_TOOLS_CALLS_1_13(ROW)                                                                               \
    ROW(zet, ze_result_t, CommandListAppendMarkerExp, command_list_append_marker_exp,                            \
        (zet_command_list_handle_t, hCommandList), (zet_metric_group_handle_t, hMetricGroup), (uint32_t, value)) \
    ROW(zet, ze_result_t, DeviceEnableMetricsExp, device_enable_metrics_exp, (zet_device_handle_t, hDevice))     \
    ROW(zet, ze_result_t, DeviceDisableMetricsExp, device_disable_metrics_exp, (zet_device_handle_t, hDevice))

#define ZETL_TOOLS_CALLS(ROW) ZETL_TOOLS_CALLS_1_11(ROW) ZETL_TOOLS_CALLS_1_13(ROW)

#if defined(__cplusplus)
extern "C" {
#endif
#if ZETL_SPEC_LACKS(11)
ZETL_TOOLS_CALLS_1_11(ZETL_DECLARE_FUNCTION)
#endif
#if ZETL_SPEC_LACKS(13)
ZETL_TOOLS_CALLS_1_13(ZETL_DECLARE_FUNCTION)
#endif
#if defined(__cplusplus)
}
#endif
