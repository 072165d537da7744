/*
 * Core functions newer than specification 1.17, grouped by the version that added them. No loader exports them yet:
 * programs get them from zeDriverGetExtensionFunctionAddress. declare.h describes the rows.
 */
#pragma once

#include "ze_tools_layer/level_zero/core_types.h"
#include "ze_tools_layer/level_zero/declare.h"
#include "ze_tools_layer/level_zero/spec.h"

#define ZETL_CORE_CALLS_1_18(ROW)                                                                                      \
    ROW(ze, ze_result_t, DeviceGetCompilerInfo, device_get_compiler_info, (ze_device_handle_t, hDevice),               \
        (ze_device_compiler_info_t, paramName), (const void*, pNext), (size_t*, pSize), (void*, pData))                \
    ROW(ze, ze_result_t, ModuleGetDeviceHandle, module_get_device_handle, (ze_module_handle_t, hModule),               \
        (ze_device_handle_t*, phDevice))                                                                               \
    ROW(ze, ze_result_t, KernelGetModuleHandle, kernel_get_module_handle, (ze_kernel_handle_t, hKernel),               \
        (ze_module_handle_t*, phModule))                                                                               \
    ROW(ze, ze_result_t, CommandQueueSetPriorityExt, command_queue_set_priority_ext,                                   \
        (ze_command_queue_handle_t, hCommandQueue), (ze_command_queue_priority_t, priority))                           \
    ROW(ze, ze_result_t, CommandListAppendSignalEventWithParameters, command_list_append_signal_event_with_parameters, \
        (ze_command_list_handle_t, hCommandList), (const void*, pNext), (ze_event_handle_t, hEvent))                   \
    ROW(ze, ze_result_t, CommandListAppendWaitOnEventsWithParameters,                                                  \
        command_list_append_wait_on_events_with_parameters, (ze_command_list_handle_t, hCommandList),                  \
        (const void*, pNext), (uint32_t, numEvents), (ze_event_handle_t*, phEvents))

#define ZETL_CORE_CALLS_1_20(ROW)                                                                      \
    ROW(ze, ze_result_t, GraphPauseCaptureExt, graph_pause_capture_ext, (ze_graph_handle_t, hGraph))   \
    ROW(ze, ze_result_t, GraphResumeCaptureExt, graph_resume_capture_ext, (ze_graph_handle_t, hGraph)) \
    ROW(ze, ze_result_t, GraphGetIdExt, graph_get_id_ext, (ze_graph_handle_t, hGraph), (uint64_t*, pGraphId))

#if ZETL_SPEC_LACKS(18)
/* 1: SPIR-V capabilities, 2: SPIR-V extensions, 3: options of the compiler, 4: options of the driver. */
typedef uint32_t ze_device_compiler_info_t;
#endif

#if defined(__cplusplus)
extern "C" {
#endif
#if ZETL_SPEC_LACKS(18)
ZETL_CORE_CALLS_1_18(ZETL_DECLARE_FUNCTION)
#endif
#if ZETL_SPEC_LACKS(20)
ZETL_CORE_CALLS_1_20(ZETL_DECLARE_FUNCTION)
#endif
#if defined(__cplusplus)
}
#endif
