#include "emulator/machine/model/roomy_cache.h"

namespace zetl::emulator::machine {

RoomyCache::RoomyCache(Cache::Shape shape) noexcept
    : ways_(shape.ways),
      lines_(std::max<std::size_t>(1, shape.bytes / shape.lineBytes / shape.ways) * shape.ways),
      sets_(shape) {}

Cache::Result RoomyCache::accessLater(std::uint32_t line, Cache::Use use) {
    constexpr std::size_t kFirst = 4096;
    if (filled_) return sets_.access(line, use);
    if (line < lines_ && now_ != kLast) {
        uses_.resize(std::min(lines_, std::max({kFirst, 2 * uses_.size(), std::size_t{line} + 1})));
        return access(line, use);
    }
    fillSets();
    return sets_.access(line, use);
}

/// The lines of a set in the order in which they were used.
void RoomyCache::fillSets() {
    const std::size_t sets = lines_ / ways_;
    std::vector<std::uint32_t> lines;
    lines.reserve(ways_);
    for (std::size_t set = 0; set < sets; ++set) {
        lines.clear();
        for (std::size_t line = set; line < uses_.size(); line += sets)
            if (uses_[line] > emptied_) lines.push_back(static_cast<std::uint32_t>(line));
        std::ranges::sort(lines, {}, [this](std::uint32_t line) { return uses_[line]; });
        for (const std::uint32_t line : lines)
            sets_.access(line, (uses_[line] & kChanged) != 0 ? Cache::Use::write : Cache::Use::read);
    }
    uses_ = {};
    filled_ = true;
}

void RoomyCache::clear() noexcept {
    sets_.clear();
    filled_ = false;
    emptied_ = now_ << 1 | kChanged;
    if (now_ != kLast) return;
    now_ = 0;
    emptied_ = kChanged;
    std::ranges::fill(uses_, 0);
}

}  // namespace zetl::emulator::machine
