// The function that replaces a core or runtime table entry: a jump to where the route leads.
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

    /// Not noexcept: exceptions, and thread ends that start in a tracing callback, pass through.
    static R ZE_APICALL call(A... arguments) {
        return reinterpret_cast<Target>(routes[index(F)].entry())(arguments...);
    }

    /// Replaces a function that no library below offers.
    static R ZE_APICALL unsupported(A...) noexcept {
        if constexpr (std::is_same_v<R, ze_result_t>)
            return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
        else
            return R{};
    }
};

/// The addresses that the layer puts into tables, one row per traced function.
struct TrampolineRow {
    Address call;
    Address unsupported;
};
extern const TrampolineRow kTrampolines[kTraced];

}  // namespace zetl::ddi
