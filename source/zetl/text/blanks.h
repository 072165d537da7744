// Lists as people type them.
#pragma once

#include <string_view>

namespace zetl::command {

/// The text without the blanks and tabs around it.
constexpr std::string_view withoutBlanks(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\n";
    const auto first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

}  // namespace zetl::command
