// The function that a core or runtime table entry is replaced with: a jump to wherever the route leads.
#pragma once

#include <type_traits>

#include "ddi/route.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::ddi {

template <Function F, class Signature>
struct Trampoline;

template <Function F, class R, class... A>
struct Trampoline<F, R(A...)> {
    using Target = R(ZE_APICALL*)(A...);

    /// Not noexcept: an exception or a thread's end that starts in a tracing callback passes through.
    static R ZE_APICALL call(A... arguments) {
        return reinterpret_cast<Target>(routes[index(F)].entry())(arguments...);
    }

    /// Stands in for a function that nobody below offers.
    static R ZE_APICALL unsupported(A...) noexcept {
        if constexpr (std::is_same_v<R, ze_result_t>)
            return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
        else
            return R{};
    }
};

/// What the layer puts into tables, per traced function.
struct TrampolineRow {
    Address call;
    Address unsupported;
};
extern const TrampolineRow kTrampolines[kTraced];

}  // namespace zetl::ddi
