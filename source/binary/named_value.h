// Values with names in text: the enumerations of .ze_info.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace zetl::binary {

template <class E>
struct NamedValue {
    std::string_view name;
    E value;
};

/// Null if no row has that name.
template <class E, std::size_t n>
const E* find(const NamedValue<E> (&rows)[n], std::string_view name) {
    const auto found = std::ranges::find(rows, name, &NamedValue<E>::name);
    return found == std::end(rows) ? nullptr : &found->value;
}

/// Empty if no row has the value.
template <class E, std::size_t n>
std::string_view nameOf(const NamedValue<E> (&rows)[n], E value) {
    const auto found = std::ranges::find(rows, value, &NamedValue<E>::value);
    return found == std::end(rows) ? std::string_view() : found->name;
}

}  // namespace zetl::binary
