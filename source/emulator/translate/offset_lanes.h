// Lanes of 64 bits that are a number all have in common and a dword of their own, shifted: addresses of elements.
//
// They are made of the dwords where those lie, when a message wants them or something else does: offset_lanes.h knows
// which they are, group_offsets.cpp what to do with them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/isa/state_slots.h"
#include "emulator/translate/linear_lanes.h"
#include "emulator/translate/step_extents.h"

namespace zetl::emulator::translate {

/// lane i = base + (dword i << shift), modulo 2^64; dwords one behind the other from a place on.
struct Offset {
    static constexpr std::uint32_t kMostShift = 3;  ///< that addresses of the host have
    std::uint32_t place = 0;
    std::uint32_t shift = 0;
    Linear base;            ///< the same for all lanes
    bool isSigned = false;  ///< the dwords are
};

class OffsetLanes {
  public:
    struct Held {
        Extent extent;  ///< elements of 8 bytes, or of 4 with the shift and the base nothing
        Offset lanes;

        Extent dwords() const noexcept { return {lanes.place, 4, 4, extent.count}; }
    };

    /// What is held of these elements, of one or of several that go on from each other.
    std::optional<Offset> find(const Extent& e) const;
    void hold(const Extent& e, const Offset& lanes) { held_.push_back({e, lanes}); }
    /// What is of these bytes.
    std::vector<Held> overlapping(const Extent& e) const;
    /// What is made of dwords in these bytes.
    std::vector<Held> madeOf(const Extent& e) const;
    void forget(const Held& held);
    /// Forgets what lies in none of these registers.
    void keepOnly(const isa::StateSlots& needed);
    /// Registers with the dwords.
    void addDwords(isa::StateSlots& to) const;
    /// Numbers in LinearLanes that bases are made of.
    std::vector<std::uint32_t> numbers() const;

  private:
    std::vector<Held> held_;
};

}  // namespace zetl::emulator::translate
