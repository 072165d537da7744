// The least and the largest whole number that part of a register can hold, known from the lines that may have written
// it: constants, and moves, sums, shifts and logic of such numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/translate/plan/survey.h"

namespace zetl::emulator::translate {

/// Of numbers without a sign. One that may be anything, or negative, has the largest bound of all.
struct Bounds {
    static constexpr std::uint64_t kAnything = std::numeric_limits<std::uint64_t>::max();

    std::uint64_t low = 0;
    std::uint64_t high = kAnything;

    bool isKnown() const noexcept { return low <= high && high != kAnything; }
};

/// Bytes of the state that an instruction reads as one number.
struct Element {
    std::uint32_t place;
    std::uint32_t bytes;
};

class RegisterBounds {
  public:
    RegisterBounds(const isa::Program::Code& code, const Survey& survey);

    /// What a lane finds there before the line; for LaneBytes::kAllLanes, whatever lanes are on.
    Bounds before(isa::Line line, const Element& element, std::uint8_t lane);

  private:
    /// A line, seen from its end.
    struct Way {
        isa::Line line;
        bool sameLanes;  ///< those that are on behind it are on where the way led to
    };
    struct Definition {
        isa::Line line;
        std::uint32_t lane;
        bool grows;

        bool isOf(isa::Line l, std::uint32_t n) const noexcept { return line == l && lane == n; }
    };
    /// What a line leaves of an element, and whether it hides what was there before.
    struct Effect {
        Bounds bounds;
        bool writes = false;
        bool hides = false;
    };

    void addWays(isa::Line line, const isa::Instruction& in);
    Bounds search(isa::Line line, const Element& element, std::uint8_t lane);
    Effect effectOf(const Way& way, const Element& element, std::uint8_t lane);
    Effect effectOfLanes(const Way& way, const Element& element, std::uint8_t lane, std::uint32_t from);
    Bounds written(isa::Line line, std::uint32_t lane);
    Bounds compute(isa::Line line, std::uint32_t lane);
    Bounds source(isa::Line line, std::uint32_t which, std::uint32_t lane);

    const isa::Program::Code& code_;
    const isa::Line entry_;
    bool known_ = true;                             ///< where threads go on
    std::vector<std::vector<isa::Line>> previous_;  ///< by line: those that threads come from
    std::vector<bool> meets_;                       ///< by line: lanes may be on that were off before
    std::vector<Definition> open_;                  ///< those that are being followed
    std::uint32_t left_ = 0;                        ///< definitions that are still followed
};

}  // namespace zetl::emulator::translate
