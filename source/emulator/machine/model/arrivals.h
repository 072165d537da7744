// Lines on their way from memory to the second-level cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zetl::emulator::machine {

/// The cache holds a line as soon as someone asks memory for it. This says when the line really arrives, for others
/// who ask meanwhile. Users need not come in the order of time: one that comes later with an earlier time is the one
/// for whom the line was fetched. A line whose place another one has taken counts as arrived. Not thread-safe. Times
/// are cycles of the core clock.
class Arrivals {
  public:
    /// Time begins anew, and nothing is on its way.
    void restart() noexcept;
    /// Memory was asked for the line at `asked`. Throws bad_alloc.
    void expect(std::uint32_t line, std::uint64_t asked, std::uint64_t arrives);
    /// When a user who finds the line at `asked`, and would have it at `ready`, has it.
    std::uint64_t await(std::uint32_t line, std::uint64_t asked, std::uint64_t ready) noexcept {
        return ready + base_ >= latest_ ? ready : awaitOnItsWay(line, asked, ready);
    }

  private:
    /// More than memory has on its way within a window of the simulation.
    static constexpr std::size_t kPlaces = std::size_t{1} << 16;
    /// With times since the first restart(), so that old ones need not be erased.
    struct Place {
        std::uint32_t line = ~0u;
        std::uint32_t takes = 0;
        std::uint64_t asked = 0;
    };
    std::uint64_t awaitOnItsWay(std::uint32_t line, std::uint64_t asked, std::uint64_t ready) noexcept;

    std::uint64_t base_ = 0;    ///< the present time 0
    std::uint64_t latest_ = 0;  ///< when everything has arrived
    std::vector<Place> places_;
};

}  // namespace zetl::emulator::machine
