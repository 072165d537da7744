// Numbers that choose a shuffled schedule.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace zetl::command {

/// True for a decimal number from 0 to 2^64 - 1, and nothing else.
inline bool isSeed(const std::string& text) {
    std::uint64_t seed = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, seed);
    return read.ec == std::errc() && read.ptr == end;
}

}  // namespace zetl::command
