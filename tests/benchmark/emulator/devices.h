// What the same kernels cost on emulated devices of other generations.
#pragma once

#include <string_view>

namespace zetl::benchmark::emulator {

/// Prints a row for each kernel, or for one: processor time on max1550 divided by that on a device of each later
/// generation, and the same by instruction, as compilers make more or fewer of them there. The newest compiler is
/// needed (ZETL_COMPILER). Returns the exit code.
int compareDevices(int rounds, std::string_view kernel);

}  // namespace zetl::benchmark::emulator
