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

}  // namespace zetl::command
