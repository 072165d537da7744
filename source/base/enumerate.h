// The "count, then fill" shape of Level Zero's list functions.
#pragma once

#include <level_zero/ze_api.h>

#include <algorithm>
#include <cstdint>
#include <ranges>

namespace zetl {

/// A zero count or a null array asks for the number; otherwise at most *count items are written, and a count above the
/// number there is gets clamped. `write(target, item)` converts.
template <std::ranges::random_access_range R, class T, class Write>
ze_result_t enumerate(const R& items, std::uint32_t* count, T* target, Write&& write) {
    if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const auto available = static_cast<std::uint32_t>(std::ranges::size(items));
    if (*count == 0 || !target) {
        *count = available;
        return ZE_RESULT_SUCCESS;
    }
    *count = std::min(*count, available);
    for (std::uint32_t i = 0; i < *count; ++i) write(target[i], items[i]);
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl
