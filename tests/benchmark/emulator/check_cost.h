// What checks cost: the same kernels with and without them, in turns.
#pragma once

#include <string_view>

namespace zetl::benchmark::emulator {

/// Prints a table of how much longer host code takes with each group of checks. Returns 1 if one takes longer than its
/// limit on one of the first fourteen kernels. `kernel`: only the workload of that kernel, if any.
int compareChecks(int rounds, std::string_view kernel);

}  // namespace zetl::benchmark::emulator
