// How soon all workers execute groups of a launch of many.
#pragma once

namespace zetl::benchmark::emulator {

/// Prints a row for launches behind each other, and one for launches after a pause. Returns the exit code.
int measureStarts(int launches);

}  // namespace zetl::benchmark::emulator
