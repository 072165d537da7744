// Lists in environment variables.
#pragma once

#include <string_view>

namespace zetl {

/// The text without the blanks and tabs around it: people write "0, 1", as Level Zero's specification does.
constexpr std::string_view withoutBlanks(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\n";
    const auto first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

/// Calls take(part) for each part between separators, in order and without the blanks around it: empty ones, too, so at
/// least once. No heap.
template <class F>
constexpr void forEachPart(std::string_view text, char separator, F&& take) {
    for (;;) {
        const auto end = text.find(separator);
        take(withoutBlanks(text.substr(0, end)));
        if (end == std::string_view::npos) return;
        text.remove_prefix(end + 1);
    }
}

}  // namespace zetl
