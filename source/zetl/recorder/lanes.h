// Ranges that may overlap others, and that any thread may end. Each has a lane of its own while it is open.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace zetl::recorder {

/// By what the program knows an open range, if it is not the number that startRange() returned.
using RangeKey = std::array<std::uint64_t, 4>;

/// 0: it is not recorded, because recording is paused or full, or as many are open as there are lanes.
std::uint64_t startRange(std::string_view name, std::string_view domain, const RangeKey& key = {}) noexcept;
/// Unknown numbers are ignored. After a fork, the open ranges of the child belong to its parent.
void endRange(std::uint64_t number) noexcept;
/// Of those that are open with this key, the one that started last.
void endRange(const RangeKey& key) noexcept;

}  // namespace zetl::recorder
