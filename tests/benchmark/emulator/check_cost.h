// What checks cost: the same kernels with and without them, in turns.
#pragma once

#include <string>
#include <string_view>

namespace zetl::benchmark::emulator {

/// Prints a table of how much longer host code takes with each group of checks. Returns 1 if one takes longer than its
/// limit on one of the first fourteen kernels. `kernel`, `groups`: only the workload of that kernel, and only that
/// column, if any. `device`: a profile, whose code the compiler of ZETL_COMPILER makes.
int compareChecks(int rounds, std::string_view kernel, std::string_view groups, const std::string& device);

}  // namespace zetl::benchmark::emulator
