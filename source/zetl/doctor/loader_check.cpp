#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "doctor/finding.h"
#include "run/loader_choice.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

constexpr int kOldestHeaders = 9;  // specification 1.9

/// The minor specification version of the headers in a directory, or -1.
int headersVersion(const fs::path& directory) {
    std::ifstream file(directory / "level_zero/ze_api.h");
    for (std::string line; std::getline(file, line);) {
        const auto at = line.find("ZE_API_VERSION_CURRENT = ");
        int minor = 0;
        if (at != std::string::npos && std::sscanf(&line[at], "%*s = ZE_MAKE_VERSION( 1, %d", &minor) == 1)
            return minor;
    }
    return -1;
}

void checkHeaders(Findings& findings) {
    for (const char* directory : {"/usr/local/include", "/usr/include"}) {
        const int version = headersVersion(directory);
        if (version < 0) continue;
        const auto fact = fmt::format("{}/level_zero, specification 1.{}", directory, version);
        if (version >= kOldestHeaders)
            findings.push_back({Verdict::good, "headers", fact});
        else
            findings.push_back(
                {Verdict::note, "headers", fact + ", too old to build with",
                 "point LevelZero_INCLUDE_DIR to newer ones; share/ze-tools-layer/fetch_headers downloads them"});
        return;
    }
    findings.push_back(
        {Verdict::note, "headers", "not installed; only building needs them",
         "scripts/bootstrap (source tree) or share/ze-tools-layer/fetch_headers (installation) downloads them"});
}

}  // namespace

void checkLoader(const Patient& patient, Findings& findings) {
    const auto choice = chooseLoader(patient.installation);
    const auto found = choice.version.empty() ? choice.found.native()
                                              : fmt::format("{}, version {}", choice.found.native(), choice.version);
    if (!choice.inFront.empty() && (choice.found.empty() || choice.isTooOld()))
        findings.push_back(
            {Verdict::good, "loader",
             fmt::format("{}/libze_loader.so.1, which zetl puts in front of {}", choice.inFront.native(),
                         choice.found.empty() ? "nothing: the system has no loader" : found + ", too old for SYCL")});
    else if (choice.found.empty())
        findings.push_back({Verdict::problem, "loader", choice.reason, "apt install libze1"});
    else
        findings.push_back({Verdict::good, "loader", found});
    checkHeaders(findings);
}

}  // namespace zetl::command
