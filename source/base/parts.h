// Lists in environment variables.
#pragma once

#include <string_view>

namespace zetl {

/// Calls take(part) for each part between separators, in order: empty ones too, so once at least. No heap.
template <class F>
constexpr void forEachPart(std::string_view text, char separator, F&& take) {
    for (;;) {
        const auto end = text.find(separator);
        take(text.substr(0, end));
        if (end == std::string_view::npos) return;
        text.remove_prefix(end + 1);
    }
}

}  // namespace zetl
