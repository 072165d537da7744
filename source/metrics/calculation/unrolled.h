// Loops over rows, unrolled in a way that compilers cannot find without a test per row.
#pragma once

#include <cstddef>
#include <cstring>

namespace zetl::metrics {

/// Operators work on whole groups of rows.
inline constexpr std::size_t kRowsAtOnce = 8;

/// each(0), each(1), ... each(count - 1).
template <class F>
inline void inFours(std::size_t count, F&& each) {
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        each(i);
        each(i + 1);
        each(i + 2);
        each(i + 3);
    }
    for (; i < count; ++i) each(i);
}

/// The same for whole groups of rows: the count is rounded up. The inner loop's fixed length lets the compiler replace
/// it.
template <class F>
inline void inGroups(std::size_t count, F&& each) {
    for (std::size_t first = 0; first < count; first += kRowsAtOnce)
        for (std::size_t i = 0; i < kRowsAtOnce; ++i) each(first + i);
}

/// Values that one instruction processes together: V is a type of GCC's vector extension.
template <class V, class T>
inline V together(const T* place) {
    V values;
    std::memcpy(&values, place, sizeof values);
    return values;
}
using Pair = unsigned long long __attribute__((vector_size(16)));
constexpr std::size_t kPair = 2;

}  // namespace zetl::metrics
