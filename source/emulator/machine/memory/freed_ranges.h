// The allocations that were freed, to name accesses that come too late.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "emulator/machine/memory.h"

namespace zetl::emulator::machine {

/// The last freed allocations, unless their addresses have been allocated again. Not thread-safe.
class FreedRanges {
  public:
    static constexpr std::size_t kRemembered = 4096;

    void add(const Allocation& allocation);
    /// These addresses have been allocated again.
    void forget(std::uint64_t begin, std::uint64_t end);
    std::optional<Allocation> find(std::uint64_t address) const;

  private:
    std::map<std::uint64_t, Allocation> ranges_;
    std::deque<std::pair<std::uint64_t, std::uint64_t>> order_;  // begin, id: oldest first
};

}  // namespace zetl::emulator::machine
