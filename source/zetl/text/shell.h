// Text for POSIX shells.
#pragma once

#include <string>

namespace zetl::command {

/// One word of a shell, whatever characters are in it.
inline std::string shellQuoted(const std::string& text) {
    std::string result = "'";
    for (const char each : text) result += each == '\'' ? std::string("'\\''") : std::string(1, each);
    return result + "'";
}

/// A word as people type it: quoted only if it must be.
inline std::string shellWord(const std::string& text) {
    constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=/.,:@%";
    return text.empty() || text.find_first_not_of(kPlain) != std::string::npos ? shellQuoted(text) : text;
}

}  // namespace zetl::command
