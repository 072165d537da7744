// What an instrumentation tool that is preloaded into a program needs: it sees each native binary before the driver
// loads it, may give another one in its place, and reports when the program ends. The program is not changed and
// notices nothing.
#pragma once

#include <ze_tools_layer/instrumentation.h>

#include <cstdint>

namespace tool {

/// What a tool does. Both functions are called by one thread at a time.
struct Actions {
    /// Inserts what it wants into the program. False: nothing, the binary stays as it is.
    bool (*instrument)(zetl::instrumentation::Program& program);
    /// The program ends; the device has done its work.
    void (*report)();
};

/// Each tool defines it.
const Actions& actions();

/// Memory that host and device share, all zero, and both at one address. It lasts until the program ends. Null if there
/// is none.
std::uint64_t* sharedMemory(std::size_t words);

}  // namespace tool
