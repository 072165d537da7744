// Breakpoints that stop only the threads of some tiles, although all tiles of a device execute the same code.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "emulator/machine/code/code_breakpoints.h"
#include "emulator/machine/code_heap.h"

namespace zetl::emulator::machine {

/// An instruction's breakpoint bit in the code is set if any tile has to stop there. Instructions are identified by
/// their offset from the base of the heap. Not thread-safe.
class TileBreakpoints {
  public:
    /// The tiles that stop at the instruction, if its bit is set.
    TileMask of(std::uint64_t offset) const;
    bool none() const noexcept { return some_.empty(); }

    /// Clears, in an image of the program's code, the bits of those lines that belong to no tile of `tiles`.
    void hideOthers(const isa::Program& program, std::byte* code, LineSpan lines, TileMask tiles) const;
    /// `tiles` have changed the bits of those lines to the ones in `code`; `before` has the former bits of all tiles.
    /// Changes the bits in `code` to those of all tiles.
    void take(const isa::Program& program, const std::byte* before, std::byte* code, LineSpan lines, TileMask tiles);
    /// The debuggers of `tiles` are gone: removes the breakpoints that they set with take(). Returns the instructions
    /// at which no tile stops any more.
    std::vector<std::uint64_t> release(TileMask tiles);
    /// The instructions at [begin, end) have been replaced.
    void forget(std::uint64_t begin, std::uint64_t end);

  private:
    std::set<std::uint64_t> placed_;          ///< bits set by debuggers; others are the compiler's
    std::map<std::uint64_t, TileMask> some_;  ///< bits that are set, but not for every tile
};

}  // namespace zetl::emulator::machine
