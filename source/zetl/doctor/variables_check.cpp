#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "doctor/finding.h"
#include "doctor/probe.h"

namespace zetl::command {
namespace {

constexpr const char* kSwitches[] = {"ZE_ENABLE_TRACING_LAYER",      "ZE_ENABLE_VALIDATION_LAYER",
                                     "ZE_ENABLE_LOADER_INTERCEPT",   "ZE_ENABLE_NULL_DRIVER",
                                     "ZET_ENABLE_API_TRACING_EXP",   "ZET_ENABLE_METRICS",
                                     "ZET_ENABLE_PROGRAM_DEBUGGING", "ZET_ENABLE_PROGRAM_INSTRUMENTATION"};

void checkSwitches(Findings& findings) {
    for (const char* name : kSwitches) {
        const char* value = std::getenv(name);
        if (!value) continue;
        const std::string_view text = value;
        if (text == "1" || text == "0" || text.empty()) continue;
        findings.push_back({Verdict::problem, "environment", fmt::format("{}={} counts as off", name, text),
                            fmt::format("only 1 is on: export {}=1", name)});
    }
}

void checkDriver(const std::string& name, Findings& findings) {
    if (name.empty()) {
        findings.push_back({Verdict::problem, "environment",
                            "ZE_ENABLE_ALT_DRIVERS has an empty entry: the loader takes it for the program itself and "
                            "crashes in zeInit",
                            "unset it, or remove the stray comma"});
        return;
    }
    if (name.front() == ' ' || name.back() == ' ')
        findings.push_back({Verdict::problem, "environment",
                            fmt::format("ZE_ENABLE_ALT_DRIVERS: the loader keeps the blanks in \"{}\"", name),
                            "write the list without blanks"});
    else if (const auto opened = openLibrary(name); opened.path.empty())
        findings.push_back({Verdict::problem, "environment", "ZE_ENABLE_ALT_DRIVERS: " + opened.reason,
                            "give the driver's path, or add its directory to LD_LIBRARY_PATH"});
    else
        findings.push_back({Verdict::good, "environment", "ZE_ENABLE_ALT_DRIVERS: " + opened.path});
}

void checkDriverList(Findings& findings) {
    const char* value = std::getenv("ZE_ENABLE_ALT_DRIVERS");
    if (!value) return;
    std::string_view rest = value;
    for (;;) {
        const auto comma = rest.find(',');
        checkDriver(std::string(rest.substr(0, comma)), findings);
        if (comma == std::string_view::npos) return;
        rest.remove_prefix(comma + 1);
    }
}

}  // namespace

void checkVariables(const Patient&, Findings& findings) {
    checkSwitches(findings);
    checkDriverList(findings);
}

}  // namespace zetl::command
