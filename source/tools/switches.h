// The Tools API's environment variables (Tools Programming Guide, "Environment Variables").
#pragma once

#include <string>

namespace zetl::tools {

/// Without ZET_ENABLE_PROGRAM_INSTRUMENTATION: its functions work whether or not it is set.
struct Switches {
    bool apiTracing;
    bool metrics;
    bool metricTracers;  // if the variable is unset: true if a client of the loader refers to functions of tracers
    std::string programDebugging;  // 0, 1 or 2 (debug/debugger.h)
};

/// The variables as they are now. Their values at zeInit count, so zeInit calls this and the caller keeps the answer.
Switches readSwitches();

}  // namespace zetl::tools
