// The counters' information about an instruction.
#pragma once

#include <cstdint>

#include "emulator/isa/instruction_set.h"
#include "emulator/machine/counters.h"
#include "isa/xe/architecture.h"
#include "isa/xe/instruction.h"

namespace zetl::emulator::machine {

/// The counters that one execution of an instruction increments. Counter::count_: none.
struct LineInfo {
    Counter pipe = Counter::otherInstructions;
    Counter message = Counter::count_;
    Counter type = Counter::count_;        ///< by the type in which it computes: ALU0, ALU1 and XMX only
    std::uint8_t issueSlots = 1;           ///< model: cycles during which no other instruction issues on the engine
    Counter arithmetic = Counter::count_;  ///< of `operations`
    std::uint16_t operations = 0;          ///< additions and multiplications of its lanes
};

LineInfo classify(const isa::Instruction& instruction, const zetl::isa::xe::Architecture& architecture) noexcept;

}  // namespace zetl::emulator::machine
