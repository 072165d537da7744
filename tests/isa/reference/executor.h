// A second opinion on what arithmetic instructions do: one instruction at a time, one lane after another, from the
// published description of each. Written to be read beside it, and for nothing else. It shares the decoder with the
// emulator, which is compared with the vendor's, and the place of registers; nothing of how the emulator executes.
#pragma once

#include <vector>

#include "reference/state.h"

namespace zetl::test::reference {

/// Executes an instruction that is neither a message nor flow. What the published semantics leave open is listed in
/// the answer, and has one of its possible values in the state.
std::vector<Open> execute(const isa::Instruction& in, State& state);

}  // namespace zetl::test::reference
