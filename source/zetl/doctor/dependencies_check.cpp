#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "doctor/finding.h"
#include "run/probe.h"

namespace zetl::command {
namespace {

/// Libraries that Intel's driver opens in zeInit when a variable is set. One of `anyOf` must exist, or the driver
/// fails.
struct Dependency {
    const char* variable;
    std::vector<const char*> anyOf;
    const char* release;
    const char* remedy;
};

const std::vector<Dependency>& dependencies() {
    static const std::vector<Dependency> all = {
        {"ZET_ENABLE_METRICS",
         {"libigdmd.so.1", "libmd.so.1"},
         "Intel's driver",
         "install Intel's metrics discovery library"},
        {"ZET_ENABLE_METRICS", {"libigdml.so.1"}, "Intel's driver", "install Intel's metrics library"},
        {"ZET_ENABLE_PROGRAM_INSTRUMENTATION",
         {"libgtpin.so"},
         "Intel's driver up to the one of Debian 12 (22.43)",
         "install Intel's GTPin and add it to LD_LIBRARY_PATH"}};
    return all;
}

/// Only Intel's driver needs these. It is loaded by default, or if the list of drivers names it.
bool usesIntelDriver() {
    const char* drivers = std::getenv("ZE_ENABLE_ALT_DRIVERS");
    return !drivers || std::string(drivers).find("intel") != std::string::npos;
}

bool anyOpens(const std::vector<const char*>& names) {
    for (const char* name : names)
        if (!openLibrary(name).path.empty()) return true;
    return false;
}

}  // namespace

void checkDependencies(const Patient&, Findings& findings) {
    if (!usesIntelDriver()) return;
    for (const auto& each : dependencies()) {
        if (!isOn(each.variable) || anyOpens(each.anyOf)) continue;
        findings.push_back({Verdict::problem, "dependencies",
                            fmt::format("{}=1, but {} is not installed: {} fails zeInit with "
                                        "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE (0x70020000)",
                                        each.variable, each.anyOf.front(), each.release),
                            fmt::format("{}, or unset {}; `zetl run` needs neither", each.remedy, each.variable)});
    }
}

}  // namespace zetl::command
