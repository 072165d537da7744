// What the replay of a dispatch found out.
#pragma once

#include <cstdint>

#include "emulator/machine/counters.h"
#include "emulator/machine/model/executed.h"
#include "emulator/machine/model/thread_run.h"

namespace zetl::emulator::machine {

/// Sums over the sub-slices of a tile, in cycles.
struct ReplayTally {
    std::uint64_t active = 0;
    std::uint64_t busy = 0;
    std::uint64_t occupied = 0;
    std::uint64_t realAndInteger = 0;
    std::uint64_t realAndMatrix = 0;
    std::uint64_t severalPipes = 0;
    LineStalls stalls;

    /// Instructions, those that were estimated among them.
    std::uint64_t issued() const noexcept;
    /// The same, and how many of them are messages.
    Executed executed() const noexcept;
    /// Instructions that cannot be simulated, and their cycles, count as the others did in the mean. What division
    /// leaves over goes to a line of `program`, so that sums are exact.
    void extrapolate(std::uint64_t instructions, std::uint64_t cycles, const Schedule& program);
    void addTo(Counts& counts) const noexcept;
};

}  // namespace zetl::emulator::machine
