// A cache that most often has room for all lines that are used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/machine/model/cache.h"
#include "emulator/machine/model/prefetch.h"

namespace zetl::emulator::machine {

/// The same as Cache. As long as the numbers of all lines are so low that they fit at once, no line has to make room.
/// Until then it keeps when each line was used last: a few bytes that lie together, where a set of Cache takes a line
/// of the host's caches. Not thread-safe.
class RoomyCache {
  public:
    explicit RoomyCache(Cache::Shape shape) noexcept;

    /// Cache::access(). Throws bad_alloc.
    Cache::Result access(std::uint32_t line, Cache::Use use) {
        if (line >= uses_.size() || now_ == kLast) return accessLater(line, use);
        const std::uint32_t last = uses_[line];
        const bool hit = last > emptied_;
        const std::uint32_t changed = use == Cache::Use::write ? kChanged : hit ? last & kChanged : 0;
        uses_[line] = ++now_ << 1 | changed;
        return {.hit = hit};
    }
    /// Cache::clear().
    void clear() noexcept;
    /// Cache::prepare().
    void prepare(std::uint32_t line) const noexcept {
        if (line < uses_.size())
            prefetch(uses_.data() + line);
        else
            sets_.prepare(line);
    }

  private:
    static constexpr std::uint32_t kChanged = 1;
    static constexpr std::uint32_t kLast = ~std::uint32_t{0} >> 1;

    Cache::Result accessLater(std::uint32_t line, Cache::Use use);
    void fillSets();

    const std::uint32_t ways_;
    const std::size_t lines_;           ///< that fit at once
    std::uint32_t now_ = 0;             ///< number of the last use
    std::uint32_t emptied_ = kChanged;  ///< uses up to this one do not count any more
    /// By line: the number of its last use, and in the lowest bit whether it was changed. Empty once sets_ has them.
    std::vector<std::uint32_t> uses_;
    bool filled_ = false;  ///< sets_ has the lines
    Cache sets_;
};

}  // namespace zetl::emulator::machine
