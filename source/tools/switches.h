// The Tools API's environment variables (Tools Programming Guide, "Environment Variables").
#pragma once

#include <string>

namespace zetl::tools {

/// ZET_ENABLE_PROGRAM_INSTRUMENTATION is not among them: the functions behind it work without it.
struct Switches {
    bool apiTracing;
    bool metrics;
    bool metricTracers;
    std::string programDebugging;  // 0, 1 or 2 (debug/debugger.h)
};

/// As the variables stand now. They count as they are at zeInit, so whoever is called there asks, and keeps the answer.
Switches readSwitches();

}  // namespace zetl::tools
