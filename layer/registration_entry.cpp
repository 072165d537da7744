// zelTracer…RegisterCallback: one for each function that can be traced.
#include "tracing/tracer_api.h"

#define TABLE(api, table, c_name)
#define SLOT(api, table, index, object, member, minor)                                                                 \
    ZE_APIEXPORT ze_result_t ZE_APICALL zelTracer##object##member##RegisterCallback(                                   \
        zel_tracer_handle_t hTracer, zel_tracer_reg_t callback_type, api##_pfn##object##member##Cb_t callback) {       \
        return zetl::tracing::registerTracerCallback(hTracer, zetl::ddi::Function::api##object##member, callback_type, \
                                                     reinterpret_cast<zetl::ddi::Address>(callback));                  \
    }

extern "C" {
#include "ddi/core_api.def"
}
#undef TABLE
#undef SLOT
