// The (capacity, *count) rule of device_access.h for functions that list things.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace zetl::provider {

/// Writes `make(each)` for as many elements as there is room for, and the number of all elements to `*count`.
template <class Range, class T, class F>
zetl_status_t list(const Range& all, std::uint32_t capacity, T* out, std::uint32_t* count, F&& make) {
    if (!count || (capacity > 0 && !out)) return ZETL_MISUSE;
    *count = static_cast<std::uint32_t>(std::size(all));
    auto each = std::begin(all);
    for (std::uint32_t i = 0; i < std::min(capacity, *count); ++i, ++each) out[i] = make(*each);
    return ZETL_OK;
}

/// Writes the elements.
template <class Range, class T>
zetl_status_t list(const Range& all, std::uint32_t capacity, T* out, std::uint32_t* count) {
    return list(all, capacity, out, count, [](const T& each) { return each; });
}

/// Writes pointers to the elements, which lie in the provider's own memory.
template <class Range, class T>
zetl_status_t listPlaces(const Range& all, std::uint32_t capacity, const T** out, std::uint32_t* count) {
    return list(all, capacity, out, count, [](const T& each) { return &each; });
}

}  // namespace zetl::provider
