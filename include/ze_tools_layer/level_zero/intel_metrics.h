/*
 * Metric functions of Intel's driver that are in no specification: scopes, calculation operations, decoding by scope,
 * exported tracers, and the size of a buffer. Programs get them from zeDriverGetExtensionFunctionAddress. declare.h
 * describes the rows.
 *
 * level_zero.h does not include this file. A program that has Intel's own zet_intel_gpu_metric.h includes that one
 * first; its declarations then hold, and this file adds the row list alone.
 */
#pragma once

#include "ze_tools_layer/level_zero.h"

#define ZETL_INTEL_METRIC_CALLS(ROW)                                                                                  \
    ROW(zet, ze_result_t, IntelMetricScopesGetExp, intel_metric_scopes_get_exp, (zet_context_handle_t, hContext),     \
        (zet_device_handle_t, hDevice), (uint32_t*, pMetricScopesCount),                                              \
        (zet_intel_metric_scope_exp_handle_t*, phMetricScopes))                                                       \
    ROW(zet, ze_result_t, IntelMetricScopeGetPropertiesExp, intel_metric_scope_get_properties_exp,                    \
        (zet_intel_metric_scope_exp_handle_t, hMetricScope),                                                          \
        (zet_intel_metric_scope_properties_exp_t*, pMetricScopeProperties))                                           \
    ROW(zet, ze_result_t, IntelMetricSupportedScopesGetExp, intel_metric_supported_scopes_get_exp,                    \
        (zet_metric_handle_t, hMetric), (uint32_t*, pCount), (zet_intel_metric_scope_exp_handle_t*, phScopes))        \
    ROW(zet, ze_result_t, IntelMetricCalculationOperationCreateExp, intel_metric_calculation_operation_create_exp,    \
        (zet_context_handle_t, hContext), (zet_device_handle_t, hDevice),                                             \
        (zet_intel_metric_calculation_exp_desc_t*, pCalculationDesc),                                                 \
        (zet_intel_metric_calculation_operation_exp_handle_t*, phCalculationOperation))                               \
    ROW(zet, ze_result_t, IntelMetricCalculationOperationDestroyExp, intel_metric_calculation_operation_destroy_exp,  \
        (zet_intel_metric_calculation_operation_exp_handle_t, hCalculationOperation))                                 \
    ROW(zet, ze_result_t, IntelMetricCalculationOperationGetReportFormatExp,                                          \
        intel_metric_calculation_operation_get_report_format_exp,                                                     \
        (zet_intel_metric_calculation_operation_exp_handle_t, hCalculationOperation), (uint32_t*, pCount),            \
        (zet_metric_handle_t*, phMetrics), (zet_intel_metric_scope_exp_handle_t*, phMetricScopes))                    \
    ROW(zet, ze_result_t, IntelMetricCalculationOperationGetExcludedMetricsExp,                                       \
        intel_metric_calculation_operation_get_excluded_metrics_exp,                                                  \
        (zet_intel_metric_calculation_operation_exp_handle_t, hCalculationOperation), (uint32_t*, pCount),            \
        (zet_metric_handle_t*, phMetrics))                                                                            \
    ROW(zet, ze_result_t, IntelMetricCalculateValuesExp, intel_metric_calculate_values_exp, (size_t, rawDataSize),    \
        (const uint8_t*, pRawData), (zet_intel_metric_calculation_operation_exp_handle_t, hCalculationOperation),     \
        (bool, lastCall), (size_t*, usedDataSize), (uint32_t*, pTotalMetricReportCount),                              \
        (zet_intel_metric_result_exp_t*, pMetricResults))                                                             \
    ROW(zet, ze_result_t, IntelMetricTracerDecodeCalculateValuesExp, intel_metric_tracer_decode_calculate_values_exp, \
        (zet_metric_decoder_exp_handle_t, hMetricDecoder), (size_t, rawDataSize), (size_t*, usedDataSize),            \
        (const uint8_t*, pRawData), (zet_intel_metric_calculation_operation_exp_handle_t, hCalculationOperation),     \
        (uint32_t*, pTotalMetricReportCount), (zet_intel_metric_result_exp_t*, pMetricResults))                       \
    ROW(zet, ze_result_t, IntelMetricTracerDecodeExp2, intel_metric_tracer_decode_exp2,                               \
        (zet_metric_decoder_exp_handle_t, hMetricDecoder), (size_t, rawDataSize), (const uint8_t*, pRawData),         \
        (uint32_t, metricCount), (zet_metric_handle_t*, phMetrics), (uint32_t, metricScopeCount),                     \
        (zet_intel_metric_scope_exp_handle_t*, phMetricScopes), (size_t*, usedDataSize),                              \
        (uint32_t*, pTotalMetricEntriesCount), (zet_metric_entry_exp2_t*, phMetricEntries))                           \
    ROW(zet, ze_result_t, IntelMetricTracerExportExp, intel_metric_tracer_export_exp,                                 \
        (zet_metric_tracer_exp_handle_t, hTracer), (zet_intel_metric_export_format_t, exportFormat),                  \
        (size_t*, pSizeOfExportInBytes), (void*, pExportData))                                                        \
    ROW(zet, ze_result_t, IntelDeviceEnableMetricsExp, intel_device_enable_metrics_exp,                               \
        (zet_device_handle_t, hDevice))                                                                               \
    ROW(zet, ze_result_t, IntelDeviceDisableMetricsExp, intel_device_disable_metrics_exp,                             \
        (zet_device_handle_t, hDevice))

#if !defined(_ZET_INTEL_GPU_METRIC_H)
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZET_INTEL_METRIC_SCOPES_EXP_NAME "ZET_intel_metric_scopes"
#define ZET_INTEL_METRIC_CALCULATION_EXP_NAME "ZET_intel_metric_calculation"
#define ZET_INTEL_METRIC_TRACER_DECODE_EXP2_NAME "ZET_intel_metric_tracer_decode_exp2"
#define ZET_INTEL_METRIC_TRACER_EXPORT_EXP_NAME "ZET_intel_metric_tracer_export"
#define ZET_INTEL_METRIC_HW_BUFFER_SIZE_EXP_NAME "ZET_intel_get_hw_buffer_size"

#define ZET_INTEL_MAX_METRIC_SCOPE_NAME_EXP 64u
#define ZET_INTEL_MAX_METRIC_SCOPE_DESCRIPTION_EXP 128u

/* Of structures that only these functions read; other structures of the specification have the same numbers. */
#define ZET_STRUCTURE_TYPE_INTEL_METRIC_SCOPE_PROPERTIES_EXP ((zet_structure_type_t)0x00010006)
#define ZET_INTEL_STRUCTURE_TYPE_METRIC_HW_BUFFER_SIZE_EXP_DESC ((zet_structure_type_t)0x00010007)
#define ZET_INTEL_STRUCTURE_TYPE_METRIC_GROUP_CALCULATION_EXP_PROPERTIES ((zet_structure_type_t)0x00010008)
#define ZET_INTEL_STRUCTURE_TYPE_METRIC_CALCULATION_DESC_EXP ((zet_structure_type_t)0x00010009)
#define ZET_INTEL_STRUCTURE_TYPE_METRIC_CALCULABLE_PROPERTIES_EXP ((zet_structure_type_t)0x0001000c)

/* The operation was made, but times do not apply to its metrics. */
#define ZE_INTEL_RESULT_WARNING_TIME_PARAMS_IGNORED_EXP ((ze_result_t)0x40000000)

/* A part of a device to which values belong: one tile, or all of them. */
typedef struct _zet_intel_metric_scope_exp_handle_t* zet_intel_metric_scope_exp_handle_t;
/* Which metrics are calculated, for which scopes and times. */
typedef struct _zet_intel_metric_calculation_operation_exp_handle_t*
    zet_intel_metric_calculation_operation_exp_handle_t;

typedef struct _zet_intel_metric_scope_properties_exp_t {
    zet_structure_type_t stype;
    void* pNext;
    uint16_t iD; /* the scope's place in the list of its device */
    char name[ZET_INTEL_MAX_METRIC_SCOPE_NAME_EXP];
    char description[ZET_INTEL_MAX_METRIC_SCOPE_DESCRIPTION_EXP];
} zet_intel_metric_scope_properties_exp_t;

/* In the chain of zet_metric_group_properties_t. */
typedef struct _zet_intel_metric_group_calculation_properties_exp_t {
    zet_structure_type_t stype;
    void* pNext;
    bool isTimeFilterSupported;
} zet_intel_metric_group_calculation_properties_exp_t;

/* In the chain of zet_metric_properties_t. */
typedef struct _zet_intel_metric_calculable_properties_exp_t {
    zet_structure_type_t stype;
    void* pNext;
    bool isCalculable;
} zet_intel_metric_calculable_properties_exp_t;

/* Nanoseconds since the beginning of the raw data. */
typedef struct _zet_intel_metric_calculation_time_window_exp_t {
    uint64_t windowStart;
    uint64_t windowSize;
} zet_intel_metric_calculation_time_window_exp_t;

typedef struct _zet_intel_metric_calculation_exp_desc_t {
    zet_structure_type_t stype;
    const void* pNext;
    uint32_t metricGroupCount;
    zet_metric_group_handle_t* phMetricGroups;
    uint32_t metricCount;
    zet_metric_handle_t* phMetrics;
    uint32_t timeWindowsCount; /* in and out */
    zet_intel_metric_calculation_time_window_exp_t* pCalculationTimeWindows;
    uint64_t timeAggregationWindow; /* in and out; nanoseconds that one report covers, UINT64_MAX: all */
    uint32_t metricScopesCount;
    zet_intel_metric_scope_exp_handle_t* phMetricScopes;
} zet_intel_metric_calculation_exp_desc_t;

typedef enum _zet_intel_metric_calculation_result_status_exp_t {
    ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_VALID = 0,
    ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_INVALID = 1, /* the report has no value for this metric and scope */
    ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_FORCE_UINT32 = 0x7fffffff
} zet_intel_metric_calculation_result_status_exp_t;

typedef struct _zet_intel_metric_result_exp_t {
    zet_value_t value;
    zet_intel_metric_calculation_result_status_exp_t resultStatus;
} zet_intel_metric_result_exp_t;

typedef struct _zet_metric_entry_exp2_t {
    zet_value_t value;
    uint64_t timeStamp;
    uint32_t metricIndex;   /* in the caller's array */
    uint32_t metricScopeID; /* iD of the scope's properties */
    uint32_t duration;      /* nanoseconds; 0: at one moment */
} zet_metric_entry_exp2_t;

typedef enum _zet_intel_metric_export_format_t {
    ZET_INTEL_METRIC_EXPORT_FORMAT_RAW = 0,
    ZET_INTEL_METRIC_EXPORT_FORMAT_FORCE_UINT32 = 0x7fffffff
} zet_intel_metric_export_format_t;

/* In the chain of zet_metric_streamer_desc_t and zet_metric_tracer_exp_desc_t. */
typedef struct _zet_intel_metric_hw_buffer_size_exp_desc_t {
    zet_structure_type_t stype;
    const void* pNext;
    size_t sizeInBytes; /* in: wanted, of all tiles together; out: what there is */
} zet_intel_metric_hw_buffer_size_exp_desc_t;

#if defined(__cplusplus)
extern "C" {
#endif
ZETL_INTEL_METRIC_CALLS(ZETL_DECLARE_FUNCTION)
#if defined(__cplusplus)
}
#endif
#endif
