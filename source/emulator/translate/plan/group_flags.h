// Flags of a kernel whose threads of a group run together: comparisons that hold for all lanes, or for none. Which of
// the two follows from the branch that uses them, or, if their result first becomes a number, from the usual result of
// comparing ids with bounds. The ordinary code executes threads for which it is otherwise.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/isa/state_layout.h"
#include "emulator/isa/step.h"

namespace zetl::emulator::translate {

/// The result that a comparison must have for all lanes to go on.
enum class Guard : std::uint8_t { none, holds, fails };

class GroupFlags {
  public:
    /// The place of a comparison.
    struct Place {
        std::size_t line;
        std::size_t step;
    };
    struct Decision {
        Place place;
        Guard guard;
    };

    /// A comparison, with the hardware's condition, of the lanes that the mask names. Returns false if its predicate
    /// uses flags that are not known.
    bool compare(const isa::LaneMask& mask, std::uint16_t condition, const Place& place);
    /// Whether the predicate holds for all lanes, or for none. Nothing if that is not known.
    std::optional<bool> holds(const isa::LaneMask& predicate);
    /// Makes no lane take the branch. Returns false if that is impossible.
    bool passes(const isa::LaneMask& branch);

    const std::vector<Decision>& decisions() const noexcept { return decisions_; }

  private:
    struct Comparison {
        std::uint32_t lanes;  ///< bits of the flag
        Place place;
        bool mostlyHolds;
        Guard only;  ///< the only result that can be required, if its lanes held before, or failed
    };
    struct Flag {
        std::vector<Comparison> comparisons;  ///< comparisons that are not used yet
        std::uint32_t known = 0;              ///< bits that are the same for all lanes
        bool value = false;
    };
    /// The bits of its flag that the mask names; none if it names others as well.
    static std::uint32_t bitsOf(const isa::LaneMask& mask) noexcept;
    static std::uint32_t comparedBits(const Flag& flag) noexcept;
    Flag& flagOf(const isa::LaneMask& mask) noexcept { return flags_[mask.flag >> 1u]; }
    bool decide(Flag& flag, std::uint32_t bits, bool value);

    std::array<Flag, isa::layout::kFlagRegisters + 1> flags_;
    std::vector<Decision> decisions_;
};

}  // namespace zetl::emulator::translate
