/*
 * Types and constants of the Tools API newer than specification 1.9, by specification version.
 */
#pragma once

#include "ze_tools_layer/level_zero/spec.h"

#if ZETL_SPEC_LACKS(11)
#define ZET_STRUCTURE_TYPE_METRIC_GROUP_TYPE_EXP ((zet_structure_type_t)0x00010006)
#define ZET_STRUCTURE_TYPE_EXPORT_DMA_EXP_PROPERTIES ((zet_structure_type_t)0x00010007)
#define ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC ((zet_structure_type_t)0x00010008)
#define ZET_DEBUG_MEMORY_SPACE_TYPE_ELF ((zet_debug_memory_space_type_t)2)
#define ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED ((zet_metric_group_sampling_type_flag_t)ZE_BIT(2))
#define ZET_METRIC_TYPE_EVENT_EXP_TIMESTAMP ((zet_metric_type_t)0x7ffffff9)
#define ZET_METRIC_TYPE_EVENT_EXP_START ((zet_metric_type_t)0x7ffffffa)
#define ZET_METRIC_TYPE_EVENT_EXP_END ((zet_metric_type_t)0x7ffffffb)
#define ZET_METRIC_TYPE_EVENT_EXP_MONOTONIC_WRAPS_VALUE ((zet_metric_type_t)0x7ffffffc)
#define ZET_METRIC_PROGRAMMABLE_PARAM_TYPE_EXP_NORMALIZATION_BYTES ((zet_metric_programmable_param_type_exp_t)5)
#define ZET_MAX_METRIC_PROGRAMMABLE_VALUE_DESCRIPTION_EXP 128

#define ZET_CONCURRENT_METRIC_GROUPS_EXP_NAME "ZET_experimental_concurrent_metric_groups"
typedef enum _zet_concurrent_metric_groups_exp_version_t {
    ZET_CONCURRENT_METRIC_GROUPS_EXP_VERSION_1_0 = ZE_MAKE_VERSION(1, 0),
    ZET_CONCURRENT_METRIC_GROUPS_EXP_VERSION_CURRENT = ZE_MAKE_VERSION(1, 0),
    ZET_CONCURRENT_METRIC_GROUPS_EXP_VERSION_FORCE_UINT32 = 0x7fffffff
} zet_concurrent_metric_groups_exp_version_t;

#define ZET_METRICS_TRACER_EXP_NAME "ZET_experimental_metric_tracer"
typedef enum _zet_metric_tracer_exp_version_t {
    ZET_METRIC_TRACER_EXP_VERSION_1_0 = ZE_MAKE_VERSION(1, 0),
    ZET_METRIC_TRACER_EXP_VERSION_CURRENT = ZE_MAKE_VERSION(1, 0),
    ZET_METRIC_TRACER_EXP_VERSION_FORCE_UINT32 = 0x7fffffff
} zet_metric_tracer_exp_version_t;

typedef struct _zet_metric_tracer_exp_handle_t* zet_metric_tracer_exp_handle_t;
typedef struct _zet_metric_decoder_exp_handle_t* zet_metric_decoder_exp_handle_t;

typedef struct _zet_metric_tracer_exp_desc_t {
    zet_structure_type_t stype;
    const void* pNext;
    uint32_t notifyEveryNBytes; /* the notification event is signalled once this much is buffered */
} zet_metric_tracer_exp_desc_t;

typedef struct _zet_metric_entry_exp_t {
    zet_value_t value;
    uint64_t timeStamp;
    uint32_t metricIndex; /* into the decodable metrics given to the decode call */
    ze_bool_t onSubdevice;
    uint32_t subdeviceId; /* meaningful only with onSubdevice */
} zet_metric_entry_exp_t;

typedef uint32_t zet_metric_group_type_exp_flags_t;
typedef enum _zet_metric_group_type_exp_flag_t {
    ZET_METRIC_GROUP_TYPE_EXP_FLAG_EXPORT_DMA_BUF = ZE_BIT(0),
    ZET_METRIC_GROUP_TYPE_EXP_FLAG_USER_CREATED = ZE_BIT(1),
    ZET_METRIC_GROUP_TYPE_EXP_FLAG_OTHER = ZE_BIT(2),
    ZET_METRIC_GROUP_TYPE_EXP_FLAG_FORCE_UINT32 = 0x7fffffff
} zet_metric_group_type_exp_flag_t;

typedef struct _zet_metric_group_type_exp_t {
    zet_structure_type_t stype;
    void* pNext;
    zet_metric_group_type_exp_flags_t type;
} zet_metric_group_type_exp_t;

typedef struct _zet_export_dma_buf_exp_properties_t {
    zet_structure_type_t stype;
    void* pNext;
    int fd;
    size_t size; /* bytes */
} zet_export_dma_buf_exp_properties_t;

typedef struct _zet_value_fp64_range_exp_t {
    double fp64Min;
    double fp64Max;
} zet_value_fp64_range_exp_t;
#endif

/* Loader 1.18.5 renamed this value of 1.18.0; headers of 1.11 in between have only the old name. */
#if ZETL_SPEC_LACKS(11)
#define ZET_METRIC_TYPE_EXP_EXPORT_DMA_BUF ((zet_metric_type_t)0x7ffffffd)
#endif

#if ZETL_SPEC_LACKS(12)
#define ZET_METRIC_PROGRAMMABLE_PARAM_TYPE_EXP_GENERIC ((zet_metric_programmable_param_type_exp_t)6)
#define ZET_MAX_METRIC_GROUP_NAME_PREFIX_EXP 64
#endif

#if ZETL_SPEC_LACKS(13)
#define ZET_METRIC_GROUP_TYPE_EXP_FLAG_MARKER ((zet_metric_group_type_exp_flag_t)ZE_BIT(3))

#define ZET_METRIC_GROUP_MARKER_EXP_NAME "ZET_experimental_metric_group_marker"
typedef enum _zet_metric_group_marker_exp_version_t {
    ZET_METRIC_GROUP_MARKER_EXP_VERSION_1_0 = ZE_MAKE_VERSION(1, 0),
    ZET_METRIC_GROUP_MARKER_EXP_VERSION_CURRENT = ZE_MAKE_VERSION(1, 0),
    ZET_METRIC_GROUP_MARKER_EXP_VERSION_FORCE_UINT32 = 0x7fffffff
} zet_metric_group_marker_exp_version_t;

#define ZET_METRICS_RUNTIME_ENABLE_DISABLE_EXP_NAME "ZET_experimental_metrics_runtime_enable_disable"
typedef enum _zet_metrics_runtime_enable_disable_exp_version_t {
    ZET_METRICS_RUNTIME_ENABLE_DISABLE_EXP_VERSION_1_0 = ZE_MAKE_VERSION(1, 0),
    ZET_METRICS_RUNTIME_ENABLE_DISABLE_EXP_VERSION_CURRENT = ZE_MAKE_VERSION(1, 0),
    ZET_METRICS_RUNTIME_ENABLE_DISABLE_EXP_VERSION_FORCE_UINT32 = 0x7fffffff
} zet_metrics_runtime_enable_disable_exp_version_t;

typedef struct _zet_metric_source_id_exp_t {
    zet_structure_type_t stype;
    void* pNext;
    uint32_t sourceId;
} zet_metric_source_id_exp_t;
#endif

#if ZETL_SPEC_LACKS(14)
#define ZET_STRUCTURE_TYPE_METRIC_SOURCE_ID_EXP ((zet_structure_type_t)0x00010009)
#define ZET_DEBUG_MEMORY_SPACE_TYPE_BARRIER ((zet_debug_memory_space_type_t)3)
#endif

#if ZETL_SPEC_LACKS(16)
#define ZET_METRIC_EXPORT_MEMORY_EXP_NAME "ZET_experimental_metric_export_memory"
typedef enum _zet_metric_export_memory_exp_version_t {
    ZET_METRIC_EXPORT_MEMORY_EXP_VERSION_1_0 = ZE_MAKE_VERSION(1, 0),
    ZET_METRIC_EXPORT_MEMORY_EXP_VERSION_CURRENT = ZE_MAKE_VERSION(1, 0),
    ZET_METRIC_EXPORT_MEMORY_EXP_VERSION_FORCE_UINT32 = 0x7fffffff
} zet_metric_export_memory_exp_version_t;
#endif
