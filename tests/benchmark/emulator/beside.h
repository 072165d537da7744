// What the open streamer of another process costs a program.
#pragma once

#include <string_view>

namespace zetl::benchmark::emulator {

/// Launches each workload by itself, while another process of the user holds a streamer of counters open, and so on.
/// Prints a table. `kernel`: only that one, if any. Call it before the process has threads.
int compareBeside(int rounds, std::string_view kernel);

}  // namespace zetl::benchmark::emulator
