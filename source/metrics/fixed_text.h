// Texts in the fixed-size arrays of Level Zero's structures.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace zetl::metrics {

/// Copies as much as fits; the copy is always terminated.
template <std::size_t N>
void copyText(char (&target)[N], std::string_view text) {
    const auto length = std::min(text.size(), N - 1);
    *std::copy_n(text.data(), length, target) = '\0';
}

}  // namespace zetl::metrics
