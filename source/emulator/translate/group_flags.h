// Flags of a kernel whose threads of a group run together: comparisons that all lanes hold, or all fail. Which of the
// two follows from the branch that looks at them, or, where their outcome is made a number first, from what comparisons
// of ids with bounds mostly come to. A thread in which it is otherwise is left to the ordinary code.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/isa/state_layout.h"
#include "emulator/isa/step.h"

namespace zetl::emulator::translate {

/// What has to come of a comparison for all lanes to go on.
enum class Guard : std::uint8_t { none, holds, fails };

class GroupFlags {
  public:
    /// Of a comparison.
    struct Place {
        std::size_t line;
        std::size_t step;
    };
    struct Decision {
        Place place;
        Guard guard;
    };

    /// A comparison, by the hardware's condition, of lanes that the mask names. False: its predicate is of flags that
    /// are not known.
    bool compare(const isa::LaneMask& mask, std::uint16_t condition, const Place& place);
    /// Whether all lanes take what they have where the predicate holds, or none does. Nothing: that is not known.
    std::optional<bool> holds(const isa::LaneMask& predicate);
    /// No lane takes the branch. False: that cannot be had.
    bool passes(const isa::LaneMask& branch);

    const std::vector<Decision>& decisions() const noexcept { return decisions_; }

  private:
    struct Comparison {
        std::uint32_t lanes;  ///< bits of the flag
        Place place;
        bool mostlyHolds;
        Guard only;  ///< what all may be asked for, where it is of lanes that held before, or failed
    };
    struct Flag {
        std::vector<Comparison> comparisons;  ///< that nobody has looked at
        std::uint32_t known = 0;              ///< bits that are all alike
        bool value = false;
    };
    /// Those that it names of its flag; none if it names others as well.
    static std::uint32_t bitsOf(const isa::LaneMask& mask) noexcept;
    static std::uint32_t comparedBits(const Flag& flag) noexcept;
    Flag& flagOf(const isa::LaneMask& mask) noexcept { return flags_[mask.flag >> 1u]; }
    bool decide(Flag& flag, std::uint32_t bits, bool value);

    std::array<Flag, isa::layout::kFlagRegisters + 1> flags_;
    std::vector<Decision> decisions_;
};

}  // namespace zetl::emulator::translate
