// The count-then-fill shape of Level Zero's listing functions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/result.h"

namespace zetl {

/// If `*count` is 0, sets it to `available`. Otherwise lowers it to `available` and, if `out` is not null, fills that
/// many elements, each by `fill(index, out[index])`: for structs whose type and chain the caller has set.
template <class T, class F>
Status enumerateInto(std::size_t available, std::uint32_t* count, T* out, F&& fill) {
    const bool onlyCount = *count == 0;
    const auto there = static_cast<std::uint32_t>(available);
    *count = onlyCount ? there : std::min(*count, there);
    if (!onlyCount && out)
        for (std::uint32_t i = 0; i < *count; ++i) fill(i, out[i]);
    return ZE_RESULT_SUCCESS;
}

/// The same for plain values: writes `element(index)`.
template <class T, class F>
Status enumerate(std::size_t available, std::uint32_t* count, T* out, F&& element) {
    return enumerateInto(available, count, out, [&](std::uint32_t i, T& target) { target = element(i); });
}

}  // namespace zetl
