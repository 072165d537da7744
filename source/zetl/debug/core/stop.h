// Why the debuggee stopped, or no longer runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/thread_id.h"

namespace zetl::debugger {

struct Stop {
    enum class Kind {
        breakpoint,
        step,      ///< the requested step is done
        fault,     ///< page fault
        illegal,   ///< illegal instruction
        software,  ///< an exception that the kernel raised
        watch,
        access,       ///< the access that was looked for in the history of the launch
        moment,       ///< an earlier or later time of the launch, for no other reason
        interrupted,  ///< by the user
        idle,         ///< by the user, and no thread was on the device
        exited,       ///< the debuggee ended, or released its device
    } kind = Kind::exited;
    ThreadId thread;                    ///< the thread that stopped; kEveryThread if none
    unsigned lane = 0;                  ///< the first affected lane
    std::vector<unsigned> breakpoints;  ///< numbers
    std::size_t others = 0;             ///< other threads that stopped at the same time
    std::string text;                   ///< description of a fault or a watch
    std::uint64_t address = 0;          ///< of what is watched
};

}  // namespace zetl::debugger
