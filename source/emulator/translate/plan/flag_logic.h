// A peephole over three instructions: compilers combine two flags by making numbers of them, which they compare with
// zero:
//
//   (f1.0) sel (32|M0) r1.0<1>:uw 1 0
//   (f2.0) sel (32|M0) r2.0<1>:uw 1 0
//          xor (32|M0) (ne)f0.0 null<1>:uw r2.0<1;1,0>:uw r1.0<1;1,0>:uw
//
// The flags' bits are combined instead, and the selections left out, if nobody else reads the numbers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/translate/plan/live_registers.h"
#include "emulator/translate/plan/survey.h"

namespace zetl::emulator::translate {

struct FlagLogic {
    struct Source {
        std::uint8_t number = 0;  ///< of the flag register
        bool inverted = false;
    };
    isa::Opcode opcode = isa::Opcode::bitAnd;  ///< or bitOr, or bitXor
    std::array<Source, 2> sources{};
    bool inverted = false;  ///< the result
};

/// Those of one block.
class FlagLogics {
  public:
    FlagLogics() = default;
    /// Of the block of a body that begins at the line. `lanesWait`: some lanes may be off, and wait elsewhere.
    FlagLogics(const isa::Program::Code& code, std::uint8_t body, isa::Line begin, const Survey& survey,
               const LiveRegisters& live, bool lanesWait);

    /// What the line does; null for another line.
    const FlagLogic* at(isa::Line line) const {
        const auto known = logic_.find(line);
        return known == logic_.end() ? nullptr : &known->second;
    }
    bool isLeftOut(isa::Line line) const;

  private:
    std::map<isa::Line, FlagLogic> logic_;
    std::vector<isa::Line> leftOut_;
};

}  // namespace zetl::emulator::translate
