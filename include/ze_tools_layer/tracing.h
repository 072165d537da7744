/*
 * What API tracing offers beyond the specification. Part of libze_tools_layer.so.1; under any loader that has it in a
 * slot also reached by zeDriverGetExtensionFunctionAddress(hDriver, "zetlTracerSetResult").
 */
#ifndef ZE_TOOLS_LAYER_TRACING_H
#define ZE_TOOLS_LAYER_TRACING_H

#include <level_zero/ze_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Replaces the result of the call in progress. To be called in an epilogue, on its thread: epilogues that follow, and
 * the application, get `result` instead of the driver's. What the driver has done stays done.
 *
 *   ZE_RESULT_SUCCESS
 *   ZE_RESULT_ERROR_INVALID_ARGUMENT  not in an epilogue, or the function returns something else than a ze_result_t
 */
ZE_APIEXPORT ze_result_t ZE_APICALL zetlTracerSetResult(ze_result_t result);
typedef ze_result_t(ZE_APICALL* zetl_pfnTracerSetResult_t)(ze_result_t result);

#ifdef __cplusplus
}
#endif

#endif
