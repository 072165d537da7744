// Condition ov: whether a lane's exact result leaves the range of the destination's type.
//
// Integers are judged by their operands, before the instruction computes, in arithmetic that cannot wrap.
// Floating-point numbers are judged by their result: it is infinite although every operand is finite, or, for an
// integer destination, no number that fits.
#pragma once

#include "emulator/isa/step.h"

namespace zetl::emulator::isa {

/// Whether results of the opcode can leave the range of their type at all.
bool mayOverflow(Opcode opcode) noexcept;

// Both write one dword per lane to layout::kOverflow: 1 if the lane overflows.
/// src: operands as 64-bit lanes without modifiers; for mac, mach and macl the third is the accumulator.
const Step* integerOverflow(Thread&, const Step*);
/// src: operands as lanes of `size` bytes, `kind` of them; the result, as the destination shows it, at layout::kExtra.
const Step* realOverflow(Thread&, const Step*);

}  // namespace zetl::emulator::isa
