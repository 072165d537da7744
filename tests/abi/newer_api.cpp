// Compiled, not run: every row of our declarations describes what the headers in use declare, be they newer than the
// row or have it from us.
#include <cstddef>
#include <type_traits>

#include "ze_tools_layer/level_zero.h"

namespace {

template <class Params, class R>
using Callback = void(ZE_APICALL*)(Params*, R, void*, void**);
template <class Cb>
using Registration = ze_result_t(ZE_APICALL*)(zel_tracer_handle_t, zel_tracer_reg_t, Cb);

#define CHECK_FUNCTION(prefix, result, Name, snake, ...) \
    static_assert(std::is_same_v<decltype(&prefix##Name), result(ZE_APICALL*)(ZETL_LIST(ZETL_TYPE, __VA_ARGS__))>);
#define CHECK_MEMBER(type, name) static_assert(std::is_same_v<decltype(Params::p##name), type*>);

#define CHECK_TRACED(prefix, result, Name, snake, ...)                                                             \
    CHECK_FUNCTION(prefix, result, Name, snake, __VA_ARGS__)                                                       \
    namespace check_##Name {                                                                                       \
        using Params = prefix##_##snake##_params_t;                                                                \
        ZETL_EACH(CHECK_MEMBER, __VA_ARGS__)                                                                       \
        static_assert(sizeof(Params) == ZETL_COUNT(__VA_ARGS__) * sizeof(void*));                                  \
        static_assert(std::is_same_v<prefix##_pfn##Name##Cb_t, Callback<Params, result>>);                         \
        static_assert(                                                                                             \
            std::is_same_v<decltype(&zelTracer##Name##RegisterCallback), Registration<prefix##_pfn##Name##Cb_t>>); \
    }

ZETL_CORE_CALLS(CHECK_TRACED)
ZETL_RUNTIME_CALLS_1_14(CHECK_TRACED)
ZETL_TOOLS_CALLS(CHECK_FUNCTION)
ZETL_CORE_CALLS_1_18(CHECK_FUNCTION)
ZETL_CORE_CALLS_1_20(CHECK_FUNCTION)

static_assert(std::is_same_v<decltype(&zerGetDefaultContext), ze_context_handle_t(ZE_APICALL*)()>);
static_assert(
    std::is_same_v<zer_pfnGetDefaultContextCb_t, Callback<zer_get_default_context_params_t, ze_context_handle_t>>);

#define COUNT_ROW(...) +1
static_assert(0 ZETL_CORE_CALLS(COUNT_ROW) == 64);
static_assert(0 ZETL_TOOLS_CALLS(COUNT_ROW) == 15);

}  // namespace
