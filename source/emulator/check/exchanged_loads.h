// Loads that are the first half of an atomic operation: compilers, and programs, make atomics that the hardware lacks
// of a load and a compare-exchange, which a loop repeats until nobody has come in between.
#pragma once

#include <vector>

#include "emulator/isa/program.h"

namespace zetl::emulator::check {

/// By line, whether it is a load whose value is used by nothing but compare-exchanges of the same address, which it is
/// compared with, and by their tests for success. If another thread changes the value in between, the exchange fails,
/// so nobody can notice. Where it is not sure that nothing else uses the value, as where it goes through memory, the
/// answer is no.
std::vector<bool> exchangedLoadsOf(const isa::Program& program);

}  // namespace zetl::emulator::check
