// Why the debuggee stands still, or does not run any more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/thread_id.h"

namespace zetl::debugger {

struct Stop {
    enum class Kind {
        breakpoint,
        step,      ///< what was asked for is done
        fault,     ///< of memory
        illegal,   ///< an instruction that is none
        software,  ///< an exception that the kernel raised
        watch,
        interrupted,  ///< by the user
        idle,         ///< by the user, and no thread was on the device
        exited,       ///< the debuggee ended, or let go of its device
    } kind = Kind::exited;
    ThreadId thread;                    ///< that it is about; kEveryThread for none
    unsigned lane = 0;                  ///< the first that it is about
    std::vector<unsigned> breakpoints;  ///< numbers
    std::size_t others = 0;             ///< threads that stopped for a reason of their own at the same time
    std::string text;                   ///< of a fault or a watched range: what happened
};

}  // namespace zetl::debugger
