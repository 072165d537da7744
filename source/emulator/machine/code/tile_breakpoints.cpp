#include "emulator/machine/code/tile_breakpoints.h"

namespace zetl::emulator::machine {

TileMask TileBreakpoints::of(std::uint64_t offset) const {
    const auto found = some_.find(offset);
    return found == some_.end() ? kAllTiles : found->second;
}

void TileBreakpoints::hideOthers(const isa::Program& program, std::byte* code, LineSpan lines, TileMask tiles) const {
    for (isa::Line line = lines.first; line < lines.last; ++line) {
        if ((of(program.ipOf(line)) & tiles) == 0) setMark(program, line, code, false);
    }
}

void TileBreakpoints::take(const isa::Program& program, const std::byte* before, std::byte* code, LineSpan lines,
                           TileMask tiles) {
    for (isa::Line line = lines.first; line < lines.last; ++line) {
        const std::uint64_t offset = program.ipOf(line);
        const bool marked = isMarked(program, line, before);
        const TileMask old = marked ? of(offset) : 0;
        const TileMask now = isMarked(program, line, code) ? old | tiles : old & ~tiles;
        setMark(program, line, code, now != 0);
        if (!marked && now != 0) placed_.insert(offset);
        if (now == 0) placed_.erase(offset);
        some_.erase(offset);
        if (now != 0 && now != kAllTiles) some_[offset] = now;
    }
}

std::vector<std::uint64_t> TileBreakpoints::release(TileMask tiles) {
    std::vector<std::uint64_t> gone;
    for (const auto offset : placed_) {
        const TileMask left = of(offset) & ~tiles;
        if (left != 0)
            some_[offset] = left;
        else
            gone.push_back(offset);
    }
    for (const auto offset : gone) {
        some_.erase(offset);
        placed_.erase(offset);
    }
    return gone;
}

void TileBreakpoints::forget(std::uint64_t begin, std::uint64_t end) {
    some_.erase(some_.lower_bound(begin), some_.lower_bound(end));
    placed_.erase(placed_.lower_bound(begin), placed_.lower_bound(end));
}

}  // namespace zetl::emulator::machine
