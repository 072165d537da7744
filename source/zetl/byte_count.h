// Sizes as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zetl::command {

/// "512", "64KB", "256 MB", "2GiB": a whole number and perhaps a unit, of 1024 each. Nothing if it is none, or above
/// what a file can have.
std::optional<std::uint64_t> byteCount(std::string_view text);

}  // namespace zetl::command
