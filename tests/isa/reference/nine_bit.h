// Random instructions in the encodings of operands with numbers of nine bits.
#pragma once

#include "reference/random_program.h"

namespace zetl::test::reference {

/// What the encodings allow of the instruction: a second source that lies as far apart as the result or is one element,
/// registers up to the last, one bit for whether result and first source are real. False if nothing of it is left.
bool fitNineBits(Dice& dice, isa::Instruction& in);

}  // namespace zetl::test::reference
