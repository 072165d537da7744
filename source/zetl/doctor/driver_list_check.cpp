#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "doctor/finding.h"
#include "doctor/split.h"
#include "run/probe.h"

namespace zetl::command {
namespace {

constexpr const char* kDriverList = "ZE_ENABLE_ALT_DRIVERS";

void addProblem(Findings& findings, const std::string& fact, const std::string& remedy) {
    findings.push_back({Verdict::problem, "environment", fmt::format("{}: {}", kDriverList, fact), remedy});
}

/// Why a library cannot be a driver; empty if it looks like one. Loaders and layers also have getters.
std::string whyNoDriver(const std::string& path) {
    const auto result = probe({}, [&] {
        void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
        if (!library || !dlsym(library, "zeGetDriverProcAddrTable")) return "it has no zeGetDriverProcAddrTable";
        if (dlsym(library, "zelLoaderGetVersion") || dlsym(library, "zelLoaderGetVersions"))
            return "it is a loader or a layer";
        return "";
    });
    return result.finished ? result.text : result.how;
}

void checkDriver(const std::string& name, Findings& findings) {
    if (name.empty())
        return addProblem(findings,
                          "it has an empty entry; the loader takes that for the program itself and crashes in zeInit",
                          "unset it, or remove the stray comma");
    if (name.front() == ' ' || name.back() == ' ')
        return addProblem(findings, fmt::format("the loader does not remove the spaces in \"{}\"", name),
                          "write the list without spaces");
    const auto opened = openLibrary(name);
    if (opened.path.empty())
        return addProblem(findings, opened.reason, "give the driver's path, or add its directory to LD_LIBRARY_PATH");
    if (const auto reason = whyNoDriver(name); !reason.empty())
        return addProblem(findings, fmt::format("{} is not a driver: {}", opened.path, reason),
                          "remove it from the list");
    findings.push_back({Verdict::good, "environment", fmt::format("{}: {}", kDriverList, opened.path)});
}

}  // namespace

void checkDriverList(const Patient&, Findings& findings) {
    if (const char* value = std::getenv(kDriverList))
        for (const auto entry : split(value, ',')) checkDriver(std::string(entry), findings);
}

}  // namespace zetl::command
