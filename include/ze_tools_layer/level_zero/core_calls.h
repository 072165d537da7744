/*
 * The 64 core and 4 runtime functions newer than specification 1.9, grouped by the version that added them. declare.h
 * describes the rows. zerGetDefaultContext takes no argument and therefore has no row; it is declared below.
 */
#pragma once

#include "ze_tools_layer/level_zero/core_types.h"
#include "ze_tools_layer/level_zero/declare.h"
#include "ze_tools_layer/level_zero/spec.h"

#define ZETL_SIGNAL_AND_WAIT \
    (ze_event_handle_t, hSignalEvent), (uint32_t, numWaitEvents), (ze_event_handle_t*, phWaitEvents)

#define ZETL_CORE_CALLS_1_11(ROW)                                                                                      \
    ROW(ze, ze_result_t, InitDrivers, init_drivers, (uint32_t*, pCount), (ze_driver_handle_t*, phDrivers),             \
        (ze_init_driver_type_desc_t*, desc))                                                                           \
    ROW(ze, ze_result_t, CommandListGetNextCommandIdWithKernelsExp, command_list_get_next_command_id_with_kernels_exp, \
        (ze_command_list_handle_t, hCommandList), (const ze_mutable_command_id_exp_desc_t*, desc),                     \
        (uint32_t, numKernels), (ze_kernel_handle_t*, phKernels), (uint64_t*, pCommandId))                             \
    ROW(ze, ze_result_t, CommandListUpdateMutableCommandKernelsExp, command_list_update_mutable_command_kernels_exp,   \
        (ze_command_list_handle_t, hCommandList), (uint32_t, numKernels), (uint64_t*, pCommandId),                     \
        (ze_kernel_handle_t*, phKernels))

#define ZETL_CORE_CALLS_LOADER_1_19(ROW)                                                                             \
    ROW(ze, ze_result_t, KernelGetBinaryExp, kernel_get_binary_exp, (ze_kernel_handle_t, hKernel), (size_t*, pSize), \
        (uint8_t*, pKernelBinary))

#define ZETL_CORE_CALLS_1_12(ROW)                                                                                    \
    ROW(ze, ze_result_t, DeviceImportExternalSemaphoreExt, device_import_external_semaphore_ext,                     \
        (ze_device_handle_t, hDevice), (const ze_external_semaphore_ext_desc_t*, desc),                              \
        (ze_external_semaphore_ext_handle_t*, phSemaphore))                                                          \
    ROW(ze, ze_result_t, DeviceReleaseExternalSemaphoreExt, device_release_external_semaphore_ext,                   \
        (ze_external_semaphore_ext_handle_t, hSemaphore))                                                            \
    ROW(ze, ze_result_t, CommandListAppendSignalExternalSemaphoreExt,                                                \
        command_list_append_signal_external_semaphore_ext, (ze_command_list_handle_t, hCommandList),                 \
        (uint32_t, numSemaphores), (ze_external_semaphore_ext_handle_t*, phSemaphores),                              \
        (ze_external_semaphore_signal_params_ext_t*, signalParams), ZETL_SIGNAL_AND_WAIT)                            \
    ROW(ze, ze_result_t, CommandListAppendWaitExternalSemaphoreExt, command_list_append_wait_external_semaphore_ext, \
        (ze_command_list_handle_t, hCommandList), (uint32_t, numSemaphores),                                         \
        (ze_external_semaphore_ext_handle_t*, phSemaphores), (ze_external_semaphore_wait_params_ext_t*, waitParams), \
        ZETL_SIGNAL_AND_WAIT)

#define ZETL_CORE_CALLS_1_13(ROW)                                                                                   \
    ROW(ze, ze_result_t, RTASBuilderCreateExt, rtas_builder_create_ext, (ze_driver_handle_t, hDriver),              \
        (const ze_rtas_builder_ext_desc_t*, pDescriptor), (ze_rtas_builder_ext_handle_t*, phBuilder))               \
    ROW(ze, ze_result_t, RTASBuilderGetBuildPropertiesExt, rtas_builder_get_build_properties_ext,                   \
        (ze_rtas_builder_ext_handle_t, hBuilder), (const ze_rtas_builder_build_op_ext_desc_t*, pBuildOpDescriptor), \
        (ze_rtas_builder_ext_properties_t*, pProperties))                                                           \
    ROW(ze, ze_result_t, DriverRTASFormatCompatibilityCheckExt, driver_rtas_format_compatibility_check_ext,         \
        (ze_driver_handle_t, hDriver), (ze_rtas_format_ext_t, rtasFormatA), (ze_rtas_format_ext_t, rtasFormatB))    \
    ROW(ze, ze_result_t, RTASBuilderBuildExt, rtas_builder_build_ext, (ze_rtas_builder_ext_handle_t, hBuilder),     \
        (const ze_rtas_builder_build_op_ext_desc_t*, pBuildOpDescriptor), (void*, pScratchBuffer),                  \
        (size_t, scratchBufferSizeBytes), (void*, pRtasBuffer), (size_t, rtasBufferSizeBytes),                      \
        (ze_rtas_parallel_operation_ext_handle_t, hParallelOperation), (void*, pBuildUserPtr),                      \
        (ze_rtas_aabb_ext_t*, pBounds), (size_t*, pRtasBufferSizeBytes))                                            \
    ROW(ze, ze_result_t, RTASBuilderCommandListAppendCopyExt, rtas_builder_command_list_append_copy_ext,            \
        (ze_command_list_handle_t, hCommandList), (void*, dstptr), (const void*, srcptr), (size_t, size),           \
        ZETL_SIGNAL_AND_WAIT)                                                                                       \
    ROW(ze, ze_result_t, RTASBuilderDestroyExt, rtas_builder_destroy_ext, (ze_rtas_builder_ext_handle_t, hBuilder)) \
    ROW(ze, ze_result_t, RTASParallelOperationCreateExt, rtas_parallel_operation_create_ext,                        \
        (ze_driver_handle_t, hDriver), (ze_rtas_parallel_operation_ext_handle_t*, phParallelOperation))             \
    ROW(ze, ze_result_t, RTASParallelOperationGetPropertiesExt, rtas_parallel_operation_get_properties_ext,         \
        (ze_rtas_parallel_operation_ext_handle_t, hParallelOperation),                                              \
        (ze_rtas_parallel_operation_ext_properties_t*, pProperties))                                                \
    ROW(ze, ze_result_t, RTASParallelOperationJoinExt, rtas_parallel_operation_join_ext,                            \
        (ze_rtas_parallel_operation_ext_handle_t, hParallelOperation))                                              \
    ROW(ze, ze_result_t, RTASParallelOperationDestroyExt, rtas_parallel_operation_destroy_ext,                      \
        (ze_rtas_parallel_operation_ext_handle_t, hParallelOperation))                                              \
    ROW(ze, ze_result_t, DeviceGetVectorWidthPropertiesExt, device_get_vector_width_properties_ext,                 \
        (ze_device_handle_t, hDevice), (uint32_t*, pCount),                                                         \
        (ze_device_vector_width_properties_ext_t*, pVectorWidthProperties))

#define ZETL_CORE_CALLS_1_14(ROW)                                                                                      \
    ROW(ze, ze_context_handle_t, DriverGetDefaultContext, driver_get_default_context, (ze_driver_handle_t, hDriver))   \
    ROW(ze, ze_result_t, DeviceSynchronize, device_synchronize, (ze_device_handle_t, hDevice))                         \
    ROW(ze, ze_result_t, CommandListAppendLaunchKernelWithParameters,                                                  \
        command_list_append_launch_kernel_with_parameters, (ze_command_list_handle_t, hCommandList),                   \
        (ze_kernel_handle_t, hKernel), (const ze_group_count_t*, pGroupCounts), (const void*, pNext),                  \
        ZETL_SIGNAL_AND_WAIT)                                                                                          \
    ROW(ze, ze_result_t, CommandListAppendLaunchKernelWithArguments, command_list_append_launch_kernel_with_arguments, \
        (ze_command_list_handle_t, hCommandList), (ze_kernel_handle_t, hKernel),                                       \
        (const ze_group_count_t, groupCounts), (const ze_group_size_t, groupSizes), (void**, pArguments),              \
        (const void*, pNext), ZETL_SIGNAL_AND_WAIT)                                                                    \
    ROW(ze, ze_result_t, KernelGetAllocationPropertiesExp, kernel_get_allocation_properties_exp,                       \
        (ze_kernel_handle_t, hKernel), (uint32_t*, pCount),                                                            \
        (ze_kernel_allocation_exp_properties_t*, pAllocationProperties))

#define ZETL_CORE_CALLS_1_15(ROW)                                                                                    \
    ROW(ze, ze_result_t, DeviceGetAggregatedCopyOffloadIncrementValue,                                               \
        device_get_aggregated_copy_offload_increment_value, (ze_device_handle_t, hDevice),                           \
        (uint32_t*, incrementValue))                                                                                 \
    ROW(ze, ze_result_t, EventCounterBasedCreate, event_counter_based_create, (ze_context_handle_t, hContext),       \
        (ze_device_handle_t, hDevice), (const ze_event_counter_based_desc_t*, desc), (ze_event_handle_t*, phEvent))  \
    ROW(ze, ze_result_t, EventCounterBasedGetIpcHandle, event_counter_based_get_ipc_handle,                          \
        (ze_event_handle_t, hEvent), (ze_ipc_event_counter_based_handle_t*, phIpc))                                  \
    ROW(ze, ze_result_t, EventCounterBasedOpenIpcHandle, event_counter_based_open_ipc_handle,                        \
        (ze_context_handle_t, hContext), (ze_ipc_event_counter_based_handle_t, hIpc), (ze_event_handle_t*, phEvent)) \
    ROW(ze, ze_result_t, EventCounterBasedCloseIpcHandle, event_counter_based_close_ipc_handle,                      \
        (ze_event_handle_t, hEvent))                                                                                 \
    ROW(ze, ze_result_t, EventCounterBasedGetDeviceAddress, event_counter_based_get_device_address,                  \
        (ze_event_handle_t, hEvent), (uint64_t*, completionValue), (uint64_t*, deviceAddress))                       \
    ROW(ze, ze_result_t, PhysicalMemGetProperties, physical_mem_get_properties, (ze_context_handle_t, hContext),     \
        (ze_physical_mem_handle_t, hPhysicalMem), (ze_physical_mem_properties_t*, pMemProperties))                   \
    ROW(ze, ze_result_t, MemGetIpcHandleWithProperties, mem_get_ipc_handle_with_properties,                          \
        (ze_context_handle_t, hContext), (const void*, ptr), (void*, pNext), (ze_ipc_mem_handle_t*, pIpcHandle))

#define ZETL_CORE_CALLS_1_16(ROW)                                                                                      \
    ROW(ze, ze_result_t, DeviceGetRuntimeRequirements, device_get_runtime_requirements, (ze_device_handle_t, hDevice), \
        (const void*, pObjDesc), (size_t*, pSize), (char*, pRequirements))                                             \
    ROW(ze, ze_result_t, DeviceGetRuntimeRequirementsKey, device_get_runtime_requirements_key,                         \
        (ze_device_handle_t, hDevice), (const char**, pKey))                                                           \
    ROW(ze, ze_result_t, DeviceValidateRuntimeRequirements, device_validate_runtime_requirements,                      \
        (ze_device_handle_t, hDevice), (const char*, pRequirements),                                                   \
        (ze_validate_runtime_requirements_output_t*, pOut))                                                            \
    ROW(ze, ze_result_t, CommandListAppendMemoryCopyWithParameters, command_list_append_memory_copy_with_parameters,   \
        (ze_command_list_handle_t, hCommandList), (void*, dstptr), (const void*, srcptr), (size_t, size),              \
        (const void*, pNext), ZETL_SIGNAL_AND_WAIT)                                                                    \
    ROW(ze, ze_result_t, CommandListAppendMemoryFillWithParameters, command_list_append_memory_fill_with_parameters,   \
        (ze_command_list_handle_t, hCommandList), (void*, ptr), (const void*, pattern), (size_t, pattern_size),        \
        (size_t, size), (const void*, pNext), ZETL_SIGNAL_AND_WAIT)                                                    \
    ROW(ze, ze_result_t, CommandListImmediateAppendCommandListsWithParameters,                                         \
        command_list_immediate_append_command_lists_with_parameters,                                                   \
        (ze_command_list_handle_t, hCommandListImmediate), (uint32_t, numCommandLists),                                \
        (ze_command_list_handle_t*, phCommandLists), (const void*, pNext), ZETL_SIGNAL_AND_WAIT)

#define ZETL_CORE_CALLS_1_17(ROW)                                                                                      \
    ROW(ze, ze_result_t, DeviceGetCounterBasedEventMaxValue, device_get_counter_based_event_max_value,                 \
        (ze_device_handle_t, hDevice), (uint64_t*, maxValue))                                                          \
    ROW(ze, ze_result_t, CommandQueueGetFlags, command_queue_get_flags, (ze_command_queue_handle_t, hCmdQueue),        \
        (ze_command_queue_flags_t*, pFlags))                                                                           \
    ROW(ze, ze_result_t, CommandQueueGetMode, command_queue_get_mode, (ze_command_queue_handle_t, hCmdQueue),          \
        (ze_command_queue_mode_t*, pMode))                                                                             \
    ROW(ze, ze_result_t, CommandQueueGetPriority, command_queue_get_priority, (ze_command_queue_handle_t, hCmdQueue),  \
        (ze_command_queue_priority_t*, pPriority))                                                                     \
    ROW(ze, ze_result_t, CommandListGetFlags, command_list_get_flags, (ze_command_list_handle_t, hCommandList),        \
        (ze_command_list_flags_t*, pFlags))                                                                            \
    ROW(ze, ze_result_t, CommandListImmediateGetFlags, command_list_immediate_get_flags,                               \
        (ze_command_list_handle_t, hCommandList), (ze_command_queue_flags_t*, pFlags))                                 \
    ROW(ze, ze_result_t, CommandListImmediateGetMode, command_list_immediate_get_mode,                                 \
        (ze_command_list_handle_t, hCommandList), (ze_command_queue_mode_t*, pMode))                                   \
    ROW(ze, ze_result_t, CommandListImmediateGetPriority, command_list_immediate_get_priority,                         \
        (ze_command_list_handle_t, hCommandList), (ze_command_queue_priority_t*, pPriority))                           \
    ROW(ze, ze_result_t, EventGetCounterBasedFlags, event_get_counter_based_flags, (ze_event_handle_t, hEvent),        \
        (ze_event_counter_based_flags_t*, pFlags))                                                                     \
    ROW(ze, ze_result_t, CommandListIsMutableExp, command_list_is_mutable_exp,                                         \
        (ze_command_list_handle_t, hCommandList), (ze_bool_t*, pIsMutable))                                            \
    ROW(ze, ze_result_t, GraphCreateExt, graph_create_ext, (ze_context_handle_t, hContext), (const void*, pNext),      \
        (ze_graph_handle_t*, phGraph))                                                                                 \
    ROW(ze, ze_result_t, CommandListBeginGraphCaptureExt, command_list_begin_graph_capture_ext,                        \
        (ze_command_list_handle_t, hCommandList), (const void*, pNext))                                                \
    ROW(ze, ze_result_t, CommandListBeginCaptureIntoGraphExt, command_list_begin_capture_into_graph_ext,               \
        (ze_command_list_handle_t, hCommandList), (ze_graph_handle_t, hGraph), (const void*, pNext))                   \
    ROW(ze, ze_result_t, CommandListIsGraphCaptureEnabledExt, command_list_is_graph_capture_enabled_ext,               \
        (ze_command_list_handle_t, hCommandList))                                                                      \
    ROW(ze, ze_result_t, CommandListEndGraphCaptureExt, command_list_end_graph_capture_ext,                            \
        (ze_command_list_handle_t, hCommandList), (const void*, pNext), (ze_graph_handle_t*, phGraph))                 \
    ROW(ze, ze_result_t, CommandListGetGraphExt, command_list_get_graph_ext, (ze_command_list_handle_t, hCommandList), \
        (ze_graph_handle_t*, phGraph))                                                                                 \
    ROW(ze, ze_result_t, GraphGetPrimaryCommandListExt, graph_get_primary_command_list_ext,                            \
        (ze_graph_handle_t, hGraph), (ze_command_list_handle_t*, phCommandList))                                       \
    ROW(ze, ze_result_t, GraphSetDestructionCallbackExt, graph_set_destruction_callback_ext,                           \
        (ze_graph_handle_t, hGraph), (zex_mem_graph_free_callback_fn_t, pfnCallback), (void*, pUserData),              \
        (const void*, pNext))                                                                                          \
    ROW(ze, ze_result_t, GraphInstantiateExt, graph_instantiate_ext, (ze_graph_handle_t, hGraph),                      \
        (const void*, pNext), (ze_executable_graph_handle_t*, phExecutableGraph))                                      \
    ROW(ze, ze_result_t, CommandListAppendGraphExt, command_list_append_graph_ext,                                     \
        (ze_command_list_handle_t, hCommandList), (ze_executable_graph_handle_t, hGraph), (const void*, pNext),        \
        ZETL_SIGNAL_AND_WAIT)                                                                                          \
    ROW(ze, ze_result_t, ExecutableGraphGetSourceGraphExt, executable_graph_get_source_graph_ext,                      \
        (ze_executable_graph_handle_t, hGraph), (ze_graph_handle_t*, phSourceGraph))                                   \
    ROW(ze, ze_result_t, GraphIsEmptyExt, graph_is_empty_ext, (ze_graph_handle_t, hGraph))                             \
    ROW(ze, ze_result_t, GraphDumpContentsExt, graph_dump_contents_ext, (ze_graph_handle_t, hGraph),                   \
        (const char*, filePath), (const void*, pNext))                                                                 \
    ROW(ze, ze_result_t, ExecutableGraphDestroyExt, executable_graph_destroy_ext,                                      \
        (ze_executable_graph_handle_t, hGraph))                                                                        \
    ROW(ze, ze_result_t, GraphDestroyExt, graph_destroy_ext, (ze_graph_handle_t, hGraph))                              \
    ROW(ze, ze_result_t, CommandListAppendHostFunction, command_list_append_host_function,                             \
        (ze_command_list_handle_t, hCommandList), (ze_host_function_callback_t, pfnHostFunction), (void*, pUserData),  \
        (const void*, pNext), ZETL_SIGNAL_AND_WAIT)

#define ZETL_RUNTIME_CALLS_1_14(ROW)                                                                       \
    ROW(zer, ze_result_t, GetLastErrorDescription, get_last_error_description, (const char**, ppString))   \
    ROW(zer, uint32_t, TranslateDeviceHandleToIdentifier, translate_device_handle_to_identifier,           \
        (ze_device_handle_t, hDevice))                                                                     \
    ROW(zer, ze_device_handle_t, TranslateIdentifierToDeviceHandle, translate_identifier_to_device_handle, \
        (uint32_t, identifier))

#define ZETL_CORE_CALLS(ROW)         \
    ZETL_CORE_CALLS_1_11(ROW)        \
    ZETL_CORE_CALLS_LOADER_1_19(ROW) \
    ZETL_CORE_CALLS_1_12(ROW)        \
    ZETL_CORE_CALLS_1_13(ROW)        \
    ZETL_CORE_CALLS_1_14(ROW) ZETL_CORE_CALLS_1_15(ROW) ZETL_CORE_CALLS_1_16(ROW) ZETL_CORE_CALLS_1_17(ROW)

#if ZETL_SPEC_LACKS(14)
/* A function without arguments has an empty parameter block. C has no empty structures, so the type stays incomplete
 * there. */
typedef struct _zer_get_default_context_params_t zer_get_default_context_params_t;
#if defined(__cplusplus)
struct _zer_get_default_context_params_t {};
#endif
#endif

#if defined(__cplusplus)
extern "C" {
#endif
#if ZETL_SPEC_LACKS(11)
ZETL_CORE_CALLS_1_11(ZETL_DECLARE_TRACED)
#endif
#if ZETL_LACKS_KERNEL_GET_BINARY
ZETL_CORE_CALLS_LOADER_1_19(ZETL_DECLARE_TRACED)
#endif
#if ZETL_SPEC_LACKS(12)
ZETL_CORE_CALLS_1_12(ZETL_DECLARE_TRACED)
#endif
#if ZETL_SPEC_LACKS(13)
ZETL_CORE_CALLS_1_13(ZETL_DECLARE_TRACED)
#endif
#if ZETL_SPEC_LACKS(14)
ZETL_CORE_CALLS_1_14(ZETL_DECLARE_TRACED)
ZETL_RUNTIME_CALLS_1_14(ZETL_DECLARE_TRACED)
ZE_APIEXPORT ze_context_handle_t ZE_APICALL zerGetDefaultContext(void);
ZETL_DECLARE_CALLBACK(zer, ze_context_handle_t, GetDefaultContext, get_default_context)
#endif
#if ZETL_SPEC_LACKS(15)
ZETL_CORE_CALLS_1_15(ZETL_DECLARE_TRACED)
#endif
#if ZETL_SPEC_LACKS(16)
ZETL_CORE_CALLS_1_16(ZETL_DECLARE_TRACED)
#endif
#if ZETL_SPEC_LACKS(17)
ZETL_CORE_CALLS_1_17(ZETL_DECLARE_TRACED)
#endif
#if defined(__cplusplus)
}
#endif
