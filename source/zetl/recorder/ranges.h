// Ranges of the calling thread, which are within each other: those that the program marks, and calls of other
// libraries.
#pragma once

#include <cstdint>
#include <string_view>

namespace zetl::recorder {

/// Opens a range inside the one that this thread opened last. Nothing is recorded while recording is paused or full, or
/// if 64 are open. `name` and `domain` may be cut.
void openRange(std::string_view name, std::string_view domain) noexcept;
/// Closes the range that this thread opened last, if there is one.
void closeRange() noexcept;
/// How many ranges of this thread are open.
std::uint32_t openRanges() noexcept;

}  // namespace zetl::recorder
