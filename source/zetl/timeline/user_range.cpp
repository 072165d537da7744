#include "timeline/user_range.h"

#include <cstring>

namespace zetl::command {

/// The first word is the place of the range around it, the others are two texts.
UserRange userRangeOf(const Record& record) {
    const auto* text = reinterpret_cast<const char*>(record.payload() + 1);
    const auto room = (record.words - 1u) * sizeof(std::uint64_t);
    const auto size = strnlen(text, room);
    UserRange range{std::string(text, size), {}};
    if (size + 1 < room) range.domain.assign(text + size + 1, strnlen(text + size + 1, room - size - 1));
    if (range.name.empty()) range.name = "range";
    return range;
}

}  // namespace zetl::command
