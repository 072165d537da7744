/*
 * API tracing beyond the specification. The function is exported by libze_tools_layer.so.1. Where a loader has loaded
 * the layer, zeDriverGetExtensionFunctionAddress(hDriver, "zetlTracerSetResult") returns it, too.
 */
#ifndef ZE_TOOLS_LAYER_TRACING_H
#define ZE_TOOLS_LAYER_TRACING_H

#include <level_zero/ze_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Replaces the result of the call in progress. Call it in an epilogue, on the epilogue's thread: later epilogues and
 * the application receive `result` instead of the driver's result. The effects of the driver's call are not undone.
 *
 *   ZE_RESULT_SUCCESS
 *   ZE_RESULT_ERROR_INVALID_ARGUMENT  not called in an epilogue, or the function does not return a ze_result_t
 */
ZE_APIEXPORT ze_result_t ZE_APICALL zetlTracerSetResult(ze_result_t result);
typedef ze_result_t(ZE_APICALL* zetl_pfnTracerSetResult_t)(ze_result_t result);

#ifdef __cplusplus
}
#endif

#endif
