// Sizes as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zetl::command {

/// "512", "64KB", "256 MB", "2GiB": a whole number with an optional unit (powers of 1024). Nothing for other text, and
/// for more than a file can hold.
std::optional<std::uint64_t> byteCount(std::string_view text);

}  // namespace zetl::command
