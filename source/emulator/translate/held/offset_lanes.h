// Lanes of 64 bits that are the sum of one common number and a shifted dword of each lane: addresses of elements.
//
// They are computed from the dwords in their places when a message or anything else needs them: offset_lanes.h knows
// which lanes these are, group/offsets.cpp emits the code.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/isa/state_slots.h"
#include "emulator/translate/held/linear_lanes.h"
#include "emulator/translate/plan/step_extents.h"

namespace zetl::emulator::translate {

/// lane i = base + (dword i << shift), modulo 2^64; the dwords are successive from a place on.
struct Offset {
    static constexpr std::uint32_t kMostShift = 3;  ///< largest shift in addresses of the host
    std::uint32_t place = 0;
    std::uint32_t shift = 0;
    Linear base;            ///< the same for all lanes
    bool isSigned = false;  ///< the dwords are signed
};

class OffsetLanes {
  public:
    struct Held {
        Extent extent;  ///< elements of 8 bytes, or of 4 if shift and base are zero
        Offset lanes;

        Extent dwords() const noexcept { return {lanes.place, 4, 4, extent.count}; }
    };

    /// The lanes held for these elements, as one entry or as several successive ones.
    std::optional<Offset> find(const Extent& e) const;
    void hold(const Extent& e, const Offset& lanes) { held_.push_back({e, lanes}); }
    /// The entries for these bytes.
    std::vector<Held> overlapping(const Extent& e) const;
    /// The entries that are made of dwords in these bytes.
    std::vector<Held> madeOf(const Extent& e) const;
    void forget(const Held& held);
    /// Forgets entries that are in none of these registers.
    void keepOnly(const isa::StateSlots& needed);
    /// Adds the registers with the dwords.
    void addDwords(isa::StateSlots& to) const;
    /// The numbers in LinearLanes that the bases use.
    std::vector<std::uint32_t> numbers() const;

  private:
    std::vector<Held> held_;
};

}  // namespace zetl::emulator::translate
