// API tracing's C entry points: zelTracer*, zetTracerExp*, and the functions that the loader looks up to find them.
#include "base/log.h"
#include "base/settings.h"
#include "tools_entry.h"
#include "tracing/tracer_api.h"
#include "ze_tools_layer/tracing.h"

namespace tracing = zetl::tracing;
namespace settings = zetl::settings;
using tracing::Phase;
using zetl::ddi::Function;

namespace {

zel_tracer_handle_t same(zet_tracer_exp_handle_t tracer) { return reinterpret_cast<zel_tracer_handle_t>(tracer); }

}  // namespace

extern "C" {

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerCreate(const zel_tracer_desc_t* desc, zel_tracer_handle_t* phTracer) {
    return tracing::createTracer(desc, phTracer);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerDestroy(zel_tracer_handle_t hTracer) {
    return tracing::destroyTracer(hTracer);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerSetPrologues(zel_tracer_handle_t hTracer, zel_core_callbacks_t* pCoreCbs) {
    return tracing::setTracerCallbacks(hTracer, Phase::prologue, pCoreCbs);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerSetEpilogues(zel_tracer_handle_t hTracer, zel_core_callbacks_t* pCoreCbs) {
    return tracing::setTracerCallbacks(hTracer, Phase::epilogue, pCoreCbs);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerSetEnabled(zel_tracer_handle_t hTracer, ze_bool_t enable) {
    return tracing::setTracerEnabled(hTracer, enable);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerResetAllCallbacks(zel_tracer_handle_t hTracer) {
    return tracing::resetTracerCallbacks(hTracer);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zetlTracerSetResult(ze_result_t result) { return tracing::replaceResult(result); }

/// The five functions that the loader does not look up by name, in the order of its table.
ZE_APIEXPORT ze_result_t ZE_APICALL zelGetTracerApiProcAddrTable(ze_api_version_t, void** pDdiTable) {
    if (!pDdiTable) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    pDdiTable[0] = reinterpret_cast<void*>(&zelTracerCreate);
    pDdiTable[1] = reinterpret_cast<void*>(&zelTracerDestroy);
    pDdiTable[2] = reinterpret_cast<void*>(&zelTracerSetPrologues);
    pDdiTable[3] = reinterpret_cast<void*>(&zelTracerSetEpilogues);
    pDdiTable[4] = reinterpret_cast<void*>(&zelTracerSetEnabled);
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zetTracerExpCreate(zet_context_handle_t hContext, const zet_tracer_exp_desc_t* desc,
                                                       zet_tracer_exp_handle_t* phTracer) {
    if (const auto code = zetl::tools::missing<Function::zetTracerExpCreate>(hContext, desc, phTracer);
        code != ZE_RESULT_SUCCESS)
        return code;
    if (!zetl::layer::initialized()) return zetl::layer::unserved(Function::zetTracerExpCreate);
    if (!zetl::layer::toolsSwitches().apiTracing) {
        zetl::log::warn(zetl::log::Channel::tracing, "zetTracerExpCreate: set {}=1 before zeInit to use it",
                        settings::kTracingLayer);
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    const zel_tracer_desc_t equal{ZEL_STRUCTURE_TYPE_TRACER_EXP_DESC, desc->pNext, desc->pUserData};
    return tracing::createTracer(&equal, reinterpret_cast<zel_tracer_handle_t*>(phTracer));
}

ZE_APIEXPORT ze_result_t ZE_APICALL zetTracerExpDestroy(zet_tracer_exp_handle_t hTracer) {
    return tracing::destroyTracer(same(hTracer));
}

ZE_APIEXPORT ze_result_t ZE_APICALL zetTracerExpSetPrologues(zet_tracer_exp_handle_t hTracer,
                                                             zet_core_callbacks_t* pCoreCbs) {
    return tracing::setTracerCallbacks(same(hTracer), Phase::prologue, pCoreCbs);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zetTracerExpSetEpilogues(zet_tracer_exp_handle_t hTracer,
                                                             zet_core_callbacks_t* pCoreCbs) {
    return tracing::setTracerCallbacks(same(hTracer), Phase::epilogue, pCoreCbs);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zetTracerExpSetEnabled(zet_tracer_exp_handle_t hTracer, ze_bool_t enable) {
    return tracing::setTracerEnabled(same(hTracer), enable);
}

}  // extern "C"
