// How much the windows of the timing model's simulation move its cycles.
#pragma once

#include <string_view>

namespace zetl::benchmark::emulator {

/// Prints a row for each kernel, or for one. Returns the exit code.
int compareWindows(std::string_view kernel);

}  // namespace zetl::benchmark::emulator
