// The count-then-fill shape of Level Zero's listing functions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/result.h"

namespace zetl::driver {

/// If `*count` is 0, sets it to `available`; otherwise lowers it to what there is and, if `out` is not null, writes
/// that many elements, each by `element(index)`.
template <class T, class F>
Status enumerate(std::uint32_t available, std::uint32_t* count, T* out, F&& element) {
    const bool onlyCount = *count == 0;
    *count = onlyCount ? available : std::min(*count, available);
    if (!onlyCount && out)
        for (std::uint32_t i = 0; i < *count; ++i) out[i] = element(i);
    return ZE_RESULT_SUCCESS;
}

/// The same for structs that the caller typed and chained: `fill(index, out[index])` writes into them.
template <class T, class F>
Status enumerateInto(std::uint32_t available, std::uint32_t* count, T* out, F&& fill) {
    const bool onlyCount = *count == 0;
    *count = onlyCount ? available : std::min(*count, available);
    if (!onlyCount && out)
        for (std::uint32_t i = 0; i < *count; ++i) fill(i, out[i]);
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::driver
