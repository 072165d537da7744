// What the timing model costs and finds if it looks at a sample of the work-groups, beside all of them.
#pragma once

#include <string_view>

namespace zetl::benchmark::emulator {

/// Prints a row for each kernel, or for one, or for those by which nothing was chosen ("unseen"). Returns the exit
/// code.
int compareSampling(int repeats, std::string_view kernel);

}  // namespace zetl::benchmark::emulator
