// Times as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zetl::command {

/// "500ms", "2s", "3min", "5": a whole number with an optional unit (default: seconds). In milliseconds; nothing for
/// other text, and for more than a hundred years.
std::optional<std::uint64_t> milliseconds(std::string_view text);

/// "20us", "1ms": a whole number with a unit, from 1 ns to 4 s. In nanoseconds; nothing for other text.
std::optional<std::uint32_t> samplingPeriod(std::string_view text);

}  // namespace zetl::command
