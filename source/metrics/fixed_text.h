// Texts in the arrays of fixed size that Level Zero's structures have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace zetl::metrics {

/// Cut to what fits, always with an end.
template <std::size_t N>
void copyText(char (&target)[N], std::string_view text) {
    const auto length = std::min(text.size(), N - 1);
    *std::copy_n(text.data(), length, target) = '\0';
}

}  // namespace zetl::metrics
