// What the counters need to know of an instruction.
#pragma once

#include <cstdint>

#include "emulator/isa/decode/instruction.h"
#include "emulator/machine/counters.h"

namespace zetl::emulator::machine {

/// What one execution of an instruction counts as. Counter::count_: nothing.
struct LineInfo {
    Counter pipe = Counter::otherInstructions;
    Counter message = Counter::count_;
    Counter type = Counter::count_;  ///< by what it computes with: ALU0, ALU1 and XMX alone
    std::uint8_t issueSlots = 1;     ///< model: cycles during which no other instruction issues on the engine
};

LineInfo classify(const isa::Instruction& instruction) noexcept;

}  // namespace zetl::emulator::machine
