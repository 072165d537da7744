// Breakpoints that stop the threads of some tiles only: all tiles of a device execute the same code.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "emulator/machine/code/code_breakpoints.h"
#include "emulator/machine/code_heap.h"

namespace zetl::emulator::machine {

/// An instruction's breakpoint bit is set in the code if any tile is to stop there. By the instruction's offset from
/// the base of the heap. Not thread-safe.
class TileBreakpoints {
  public:
    /// Those that stop at the instruction, if its bit is set.
    TileMask of(std::uint64_t offset) const;
    bool none() const noexcept { return some_.empty(); }

    /// Clears, in an image of the program's code, the bits of those lines that no tile of `tiles` knows.
    void hideOthers(const isa::Program& program, std::byte* code, LineSpan lines, TileMask tiles) const;
    /// `tiles` have changed the bits of those lines to what they are in `code`; `before` is what was there for all.
    /// Makes the bits in `code` those of all.
    void take(const isa::Program& program, const std::byte* before, std::byte* code, LineSpan lines, TileMask tiles);
    /// The debuggers of `tiles` are gone, and what they set with take() goes, too. The instructions at which nobody is
    /// to stop any more.
    std::vector<std::uint64_t> release(TileMask tiles);
    /// The instructions at [begin, end) are others now.
    void forget(std::uint64_t begin, std::uint64_t end);

  private:
    std::set<std::uint64_t> placed_;          ///< bits that a debugger set; others are the compiler's
    std::map<std::uint64_t, TileMask> some_;  ///< bits that are set, but not for every tile
};

}  // namespace zetl::emulator::machine
