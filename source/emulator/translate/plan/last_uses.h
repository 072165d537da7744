// Which lines of a block are the last to use registers: their slots are given up first where the host's run short.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/translate/plan/survey.h"

namespace zetl::emulator::translate {

class LastUses {
  public:
    LastUses() = default;
    /// Of the block of a body that begins at the line. Steps that only their handlers know are left out: they find all
    /// registers at home.
    LastUses(const isa::Program::Code& code, std::uint8_t body, isa::Line begin, const Survey& survey);

    /// Calls f(place) for each slot of which the line's use is the last in the block. Ask for one line after the other.
    template <class F>
    void eachEndingAt(isa::Line line, F&& f) {
        for (; !uses_.empty() && uses_.back().line <= line; uses_.pop_back())
            if (uses_.back().line == line) f(uses_.back().place);
    }

  private:
    struct Use {
        isa::Line line;
        std::uint32_t place;
    };
    std::vector<Use> uses_;  ///< from the last line to the first
};

}  // namespace zetl::emulator::translate
