// What the sub-slices of a tile, and the dispatches on it, share: the second-level cache.
#pragma once

#include <cstdint>
#include <utility>

#include "emulator/machine/model/line_numbers.h"
#include "emulator/machine/model/roomy_cache.h"
#include "emulator/machine/profile.h"

namespace zetl::emulator::machine {

/// It keeps its lines from kernel to kernel. It has no times: those are a dispatch's own. Not thread-safe.
struct TileCache {
    /// Without `findHome` all memory is the device's.
    TileCache(const DeviceProfile& profile, LineNumbers::FindHome findHome)
        : numbers(profile.timing.lineBytes, std::move(findHome)),
          l3({profile.cacheBytes, profile.timing.lineBytes, profile.timing.l3Ways}) {}

    /// Makes it cold. Lines have other numbers from now on.
    void clear() noexcept {
        l3.clear();
        numbers.clear();
        ++generation;
    }

    LineNumbers numbers;
    RoomyCache l3;
    std::uint64_t generation = 0;  ///< of the numbers
};

}  // namespace zetl::emulator::machine
