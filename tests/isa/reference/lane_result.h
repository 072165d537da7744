// What one lane of an instruction makes: the element's bits as the destination holds them.
#pragma once

#include "reference/operations.h"

namespace zetl::test::reference {

/// Everything that a lane's result depends on.
struct Lane {
    const State& state;
    const isa::Instruction& in;
    FloatMode mode;
    unsigned number = 0;
    bool predicate = true;  ///< this lane's bit of the flag that a predicate names
};

/// The type in which reals are computed, before the result is rounded to the destination's.
RealFormat executionFormat(const isa::Instruction& in);
bool computesReals(const isa::Instruction& in);
/// A source of an operation on reals, rounded to that type, its denormals zero if the mode says so.
Real realSource(const Lane& lane, int source);
/// An exact number rounded to that type.
Real toExecution(const Lane& lane, const Real& v);
/// A whole number or real becomes an element of the destination: saturation, rounding, range.
Result storedInteger(const Lane& lane, Integer v);
Result storedReal(const Lane& lane, const Real& v);

/// Of mov, movi, sel, csel.
bool selects(isa::Opcode opcode);
Result selectedResult(const Lane& lane);
/// Of cmp and cmpn: whether it holds.
bool comparisonHolds(const Lane& lane);
/// Of everything else that computes lane by lane.
Result computedResult(const Lane& lane);

/// Whether the condition, which is not ov, holds for an element of the destination and zero.
bool holdsForResult(const Lane& lane, const Result& result);

/// The 64 bits that an integer lane of the accumulator holds; its low half is what operands see.
std::uint32_t wideAccumulatorPlace(unsigned lane);
/// The lane at which the implicit accumulator begins: as far in as the destination begins in its register.
unsigned firstAccumulatorLane(const isa::Instruction& in);

}  // namespace zetl::test::reference
