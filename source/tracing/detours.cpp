// tidy: without the analyzer, which needs minutes for some hundred instances of one template
#include "tracing/traced_call.h"

namespace zetl::tracing {
namespace {

template <ddi::Function F, class Signature>
struct Detour;

template <ddi::Function F, class R, class... A>
struct Detour<F, R(A...)> {
    static R ZE_APICALL call(A... arguments) {
        using Target = R(ZE_APICALL*)(A...);
        const auto& route = ddi::route(F);
        return callObserved<F>(reinterpret_cast<Target>(route.through()), reinterpret_cast<Target>(route.next()),
                               arguments...);
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
