// The common part of instrumentation tools that are preloaded into a program. The tool sees each native binary before
// the driver loads it, may replace it by another one, and reports when the program ends. The program is not changed and
// does not notice.
#pragma once

#include <ze_tools_layer/instrumentation.h>

#include <cstdint>

namespace tool {

/// The functions of one tool. One thread at a time calls them.
struct Actions {
    /// Inserts the tool's code into the program. Returns false if it inserted none; the binary then stays as it is.
    bool (*instrument)(zetl::instrumentation::Program& program);
    /// Called when the program ends and the device has done its work.
    void (*report)();
};

/// Each tool defines it.
const Actions& actions();

/// Memory that host and device share, at one address for both, all zero. It lasts until the program ends. Null if there
/// is none.
std::uint64_t* sharedMemory(std::size_t words);

}  // namespace tool
