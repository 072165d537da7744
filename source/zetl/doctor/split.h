// Splits lists in environment variables.
#pragma once

#include <string_view>
#include <vector>

namespace zetl::command {

/// The parts between separators, including empty ones; at least one.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

}  // namespace zetl::command
