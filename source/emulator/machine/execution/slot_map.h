// The hardware thread slots and the local memory of a tile that are taken.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/machine/profile.h"

namespace zetl::emulator::machine {

/// Thread slots of a sub-slice: EU * threadsPerEu + thread.
using SlotSet = std::bitset<128>;

/// The place of a work-group: all of its threads are on one sub-slice, and share its local memory.
struct Placement {
    std::uint32_t subslice = 0;
    SlotSet taken;
    std::uint32_t slmBytes = 0;        ///< local memory that it got: what the group needs, or more
    std::vector<std::uint32_t> slots;  ///< one per thread of the group, numbered as in DeviceProfile
};

/// Not thread-safe. Times are host nanoseconds and must not decrease from call to call.
class SlotMap {
  public:
    struct Need {
        std::uint32_t threads = 1;
        std::uint32_t slmBytes = 0;
        std::uint32_t grfCount = 128;
    };
    /// Time integrals, in nanoseconds times units.
    struct Occupancy {
        std::uint64_t threads = 0;  ///< loaded thread slots
        std::uint64_t engines = 0;  ///< EUs with at least one loaded thread
        std::uint64_t tiles = 0;    ///< one while any thread is loaded
    };

    explicit SlotMap(const DeviceProfile& profile);

    /// Whether an empty tile of the device could hold it.
    static bool possible(const DeviceProfile& profile, const Need& need) noexcept;
    /// Takes a place on the sub-slice with the most room, and spreads the threads over its EUs. Nothing if none has
    /// room.
    std::optional<Placement> place(const Need& need, std::uint64_t now);
    void release(const Placement& placement, std::uint64_t now);
    /// Takes exactly the released place again. Returns false if another group has some of it.
    bool reclaim(const Placement& placement, std::uint64_t now);

    Occupancy occupancy(std::uint64_t now) const noexcept;
    std::uint32_t loaded() const noexcept { return loadedThreads_; }

  private:
    struct Subslice {
        SlotSet taken;
        std::uint32_t slmFree = 0;
        std::uint32_t threads = 0;
    };

    std::uint32_t loadedEngines(const SlotSet& taken) const noexcept;
    void advance(std::uint64_t now) noexcept;
    void take(const Placement& placement, std::uint64_t now);
    void choose(const Subslice& subslice, const Need& need, Placement& placement) const;

    DeviceProfile profile_;
    std::vector<SlotSet> engines_;  // by EU
    std::vector<Subslice> subslices_;
    std::uint32_t loadedThreads_ = 0;
    std::uint32_t loadedEngines_ = 0;
    std::uint64_t changed_ = 0;
    Occupancy total_;
};

}  // namespace zetl::emulator::machine
