/*
 * Types and constants that core functions newer than specification 1.9 need, by specification version. Ray-tracing
 * builder types stay opaque, since nothing here looks inside them.
 */
#pragma once

#include "ze_tools_layer/level_zero/spec.h"

#ifndef ZE_CALLBACK_CONV
#define ZE_CALLBACK_CONV
#endif

/* Macros, because the enumerations are already complete in older headers. */
#if ZETL_SPEC_LACKS(11)
#define ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE ((ze_result_t)0x7800001c)
#define ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC ((ze_structure_type_t)0x00020021)

typedef uint32_t ze_init_driver_type_flags_t;
typedef enum _ze_init_driver_type_flag_t {
    ZE_INIT_DRIVER_TYPE_FLAG_GPU = ZE_BIT(0),
    ZE_INIT_DRIVER_TYPE_FLAG_NPU = ZE_BIT(1),
    ZE_INIT_DRIVER_TYPE_FLAG_FORCE_UINT32 = 0x7fffffff
} ze_init_driver_type_flag_t;

typedef struct _ze_init_driver_type_desc_t {
    ze_structure_type_t stype;
    const void* pNext;
    ze_init_driver_type_flags_t flags; /* driver types wanted; UINT32_MAX for all */
} ze_init_driver_type_desc_t;
#endif

#if ZETL_SPEC_LACKS(12)
#define ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_EXT_DESC ((ze_structure_type_t)0x00020022)
#define ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT ((ze_structure_type_t)0x00020025)
#define ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT ((ze_structure_type_t)0x00020026)
#define ZE_STRUCTURE_TYPE_DRIVER_DDI_HANDLES_EXT_PROPERTIES ((ze_structure_type_t)0x00020027)
#define ZE_DRIVER_DDI_HANDLE_EXT_FLAG_DDI_HANDLE_EXT_SUPPORTED (1u << 0)

typedef uint32_t ze_driver_ddi_handle_ext_flags_t;

typedef struct _ze_driver_ddi_handles_ext_properties_t {
    ze_structure_type_t stype;
    void* pNext;
    ze_driver_ddi_handle_ext_flags_t flags;
} ze_driver_ddi_handles_ext_properties_t;

typedef struct _ze_external_semaphore_ext_handle_t* ze_external_semaphore_ext_handle_t;
typedef uint32_t ze_external_semaphore_ext_flags_t;

typedef struct _ze_external_semaphore_ext_desc_t {
    ze_structure_type_t stype;
    const void* pNext;
    ze_external_semaphore_ext_flags_t flags; /* bit 0 is an opaque file descriptor */
} ze_external_semaphore_ext_desc_t;

typedef struct _ze_external_semaphore_signal_params_ext_t {
    ze_structure_type_t stype;
    const void* pNext;
    uint64_t value;
} ze_external_semaphore_signal_params_ext_t;

typedef struct _ze_external_semaphore_wait_params_ext_t {
    ze_structure_type_t stype;
    const void* pNext;
    uint64_t value;
} ze_external_semaphore_wait_params_ext_t;
#endif

#if ZETL_SPEC_LACKS(13)
#define ZE_RESULT_EXT_RTAS_BUILD_RETRY ((ze_result_t)0x7800001d)
#define ZE_RESULT_EXT_RTAS_BUILD_DEFERRED ((ze_result_t)0x7800001e)
#define ZE_RESULT_EXT_ERROR_OPERANDS_INCOMPATIBLE ((ze_result_t)0x7800001f)
#define ZE_RESULT_ERROR_SURVIVABILITY_MODE_DETECTED ((ze_result_t)0x78000020)
#define ZE_STRUCTURE_TYPE_DEVICE_VECTOR_WIDTH_PROPERTIES_EXT ((ze_structure_type_t)0x00020029)

typedef struct _ze_rtas_builder_ext_handle_t* ze_rtas_builder_ext_handle_t;
typedef struct _ze_rtas_parallel_operation_ext_handle_t* ze_rtas_parallel_operation_ext_handle_t;
typedef struct _ze_rtas_builder_ext_desc_t ze_rtas_builder_ext_desc_t;
typedef struct _ze_rtas_builder_ext_properties_t ze_rtas_builder_ext_properties_t;
typedef struct _ze_rtas_builder_build_op_ext_desc_t ze_rtas_builder_build_op_ext_desc_t;
typedef struct _ze_rtas_parallel_operation_ext_properties_t ze_rtas_parallel_operation_ext_properties_t;
typedef struct _ze_rtas_aabb_ext_t ze_rtas_aabb_ext_t;
typedef enum _ze_rtas_format_ext_t {
    ZE_RTAS_FORMAT_EXT_INVALID = 0x0,
    ZE_RTAS_FORMAT_EXT_MAX = 0x7ffffffe,
    ZE_RTAS_FORMAT_EXT_FORCE_UINT32 = 0x7fffffff
} ze_rtas_format_ext_t;

typedef struct _ze_device_vector_width_properties_ext_t {
    ze_structure_type_t stype;
    void* pNext;
    uint32_t vector_width_size; /* bytes */
    uint32_t preferred_vector_width_char;
    uint32_t preferred_vector_width_short;
    uint32_t preferred_vector_width_int;
    uint32_t preferred_vector_width_long;
    uint32_t preferred_vector_width_float;
    uint32_t preferred_vector_width_double;
    uint32_t preferred_vector_width_half;
    uint32_t native_vector_width_char;
    uint32_t native_vector_width_short;
    uint32_t native_vector_width_int;
    uint32_t native_vector_width_long;
    uint32_t native_vector_width_float;
    uint32_t native_vector_width_double;
    uint32_t native_vector_width_half;
} ze_device_vector_width_properties_ext_t;
#endif

#if ZETL_SPEC_LACKS(14)
#define ZE_RESULT_ERROR_ADDRESS_NOT_FOUND ((ze_result_t)0x78000021)
#define ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC ((ze_structure_type_t)0x00020036)
#define ZE_STRUCTURE_TYPE_KERNEL_ALLOCATION_PROPERTIES ((ze_structure_type_t)0x00020039)

typedef struct _ze_group_size_t {
    uint32_t groupSizeX;
    uint32_t groupSizeY;
    uint32_t groupSizeZ;
} ze_group_size_t;

typedef struct _ze_command_list_append_launch_kernel_param_cooperative_desc_t {
    ze_structure_type_t stype;
    const void* pNext;
    ze_bool_t isCooperative;
} ze_command_list_append_launch_kernel_param_cooperative_desc_t;

typedef struct _ze_kernel_allocation_exp_properties_t {
    ze_structure_type_t stype;
    void* pNext;
    uint64_t base;
    size_t size;
    ze_memory_type_t type;
    uint32_t argIndex; /* UINT32_MAX if no argument refers to the allocation */
} ze_kernel_allocation_exp_properties_t;
#endif

#if ZETL_SPEC_LACKS(15)
#define ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC ((ze_structure_type_t)0x0002003A)
#define ZE_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES ((ze_structure_type_t)0x00020040)

typedef struct _ze_ipc_event_counter_based_handle_t {
    char data[ZE_MAX_IPC_HANDLE_SIZE];
} ze_ipc_event_counter_based_handle_t;

typedef uint32_t ze_event_counter_based_flags_t;
typedef enum _ze_event_counter_based_flag_t {
    ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE = ZE_BIT(0),
    ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE = ZE_BIT(1),
    ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE = ZE_BIT(2),
    ZE_EVENT_COUNTER_BASED_FLAG_IPC = ZE_BIT(3),
    ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP = ZE_BIT(4),
    ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP = ZE_BIT(5),
    ZE_EVENT_COUNTER_BASED_FLAG_FORCE_UINT32 = 0x7fffffff
} ze_event_counter_based_flag_t;

typedef struct _ze_event_counter_based_desc_t {
    ze_structure_type_t stype;
    const void* pNext;
    ze_event_counter_based_flags_t flags;
    ze_event_scope_flags_t signal;
    ze_event_scope_flags_t wait;
} ze_event_counter_based_desc_t;

typedef struct _ze_physical_mem_properties_t {
    ze_structure_type_t stype;
    void* pNext;
    uint64_t id;
    uint64_t size; /* bytes */
} ze_physical_mem_properties_t;
#endif

#if ZETL_SPEC_LACKS(16)
#define ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_OUTPUT ((ze_structure_type_t)0x00020046)

typedef enum _ze_validate_runtime_requirements_result_t {
    ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_NOT_APPLICABLE = 0,
    ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_MET = 1,
    ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_MET_RECOMPILATION_ADVISABLE = 2,
    ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_NOT_MET = 3,
    ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_FORCE_UINT32 = 0x7fffffff
} ze_validate_runtime_requirements_result_t;

typedef struct _ze_validate_runtime_requirements_output_t {
    ze_structure_type_t stype;
    void* pNext;
    ze_validate_runtime_requirements_result_t result;
} ze_validate_runtime_requirements_output_t;
#endif

#if ZETL_SPEC_LACKS(17)
#define ZE_RESULT_QUERY_TRUE ((ze_result_t)0x78000022)
#define ZE_RESULT_QUERY_FALSE ((ze_result_t)0x78000023)
#define ZE_RESULT_ERROR_INVALID_GRAPH ((ze_result_t)0x78000024)
#define ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED ((ze_result_t)0x78000025)
#define ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED ((ze_result_t)0x78000026)
#define ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT ((ze_result_t)0x78000027)
#define ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING ((ze_result_t)0x78000028)
#define ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS ((ze_result_t)0x78000029)
#define ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT ((ze_result_t)0x7800002a)
#define ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL ((ze_event_counter_based_flag_t)ZE_BIT(6))

typedef struct _ze_graph_handle_t* ze_graph_handle_t;
typedef struct _ze_executable_graph_handle_t* ze_executable_graph_handle_t;
typedef void(ZE_CALLBACK_CONV* ze_host_function_callback_t)(void* pUserData);
typedef void(ZE_CALLBACK_CONV* zex_mem_graph_free_callback_fn_t)(void* pUserData);
#endif
