// The records of ranges.
#pragma once

#include <cstdint>
#include <string_view>

#include "recorder/recording.h"

namespace zetl::recorder {

/// A range that begins now, inside `around`, which may be null. Null if there is no room. `name` and `domain` may be
/// cut. `thread` 0: the calling one.
Record* addRange(std::string_view name, std::string_view domain, const Record* around, std::uint32_t thread) noexcept;
/// It ends now.
void finishRange(Record* range) noexcept;

}  // namespace zetl::recorder
