// tidy: without the analyzer, which needs minutes for some hundred instances of one template
#include "tracing/traced_call.h"

namespace zetl::tracing {
namespace {

template <ddi::Function F, class Signature>
struct Detour;

template <ddi::Function F, class R, class... A>
struct Detour<F, R(A...)> {
    static R ZE_APICALL call(A... arguments) {
        const auto next = reinterpret_cast<R(ZE_APICALL*)(A...)>(ddi::routes[ddi::index(F)].next());
        return callObserved<F>(next, arguments...);
    }
};

}  // namespace

const ddi::Address kDetours[ddi::kTraced] = {
#define TABLE(api, table, c_name)
#define SLOT(api, table, index, object, member, minor) \
    reinterpret_cast<ddi::Address>(&Detour<ddi::Function::api##object##member, decltype(api##object##member)>::call),
#include "ddi/core_api.def"
#undef TABLE
#undef SLOT
};

}  // namespace zetl::tracing
