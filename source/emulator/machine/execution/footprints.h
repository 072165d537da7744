// Which instructions each part of a recorded launch executed.
//
// What a worker counts for each line anyway (isa::Thread::runs) says, by differences, which lines ran between two
// looks. Parts of a loop that goes around for long have the same footprint, which is kept once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "emulator/machine/tools/tally.h"

namespace zetl::emulator::machine {

/// A bit for each line of the programs of a tally, one program behind the other.
using LineSet = std::vector<std::uint64_t>;

/// Of one tally, for its worker.
class Footprints {
  public:
    static constexpr std::uint32_t kUnknown = ~0u;

    /// The number of the set of lines that ran since the last call; kUnknown if there is no room for another set.
    std::uint32_t take(const Tally& tally) noexcept;
    /// So many instructions are to run between two calls, so that these cost little.
    std::uint64_t interval() const noexcept;
    /// The lines whose instructions are chosen, by their addresses.
    static LineSet lines(const Tally& tally, const std::function<bool(std::uint32_t)>& isChosen);
    /// False if none of these lines ran in it.
    bool mayTouch(std::uint32_t number, const LineSet& lines) const noexcept;
    std::uint64_t bytes() const noexcept { return bytes_; }
    void clear() noexcept;

  private:
    LineSet since(const Tally& tally);

    std::vector<std::int64_t> then_;  ///< of each line, one program behind the other
    std::map<LineSet, std::uint32_t> numbers_;
    std::vector<const LineSet*> sets_;  ///< by number
    std::uint64_t bytes_ = 0;
};

}  // namespace zetl::emulator::machine
