#include <fmt/format.h>

#include <fstream>
#include <regex>

#include "doctor/finding.h"
#include "probe.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

constexpr int kOldestHeaders = 9;  // specification 1.9

/// The minor specification version of the headers in a directory, or -1.
int headersVersion(const fs::path& directory) {
    std::ifstream file(directory / "level_zero/ze_api.h");
    const std::regex current(R"(ZE_API_VERSION_CURRENT = ZE_MAKE_VERSION\( *1, *([0-9]+) *\))");
    for (std::string line; std::getline(file, line);)
        if (std::smatch match; std::regex_search(line, match, current)) return std::stoi(match[1]);
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
                 "give others with LevelZero_INCLUDE_DIR; fetch_headers (scripts, or share/ze-tools-layer) gets them"});
        return;
    }
    findings.push_back(
        {Verdict::note, "headers", "none in the system; only building needs them",
         "scripts/bootstrap unpacks them for the project, share/ze-tools-layer/fetch_headers of an installed one"});
}

}  // namespace

void checkLoader(const Patient&, Findings& findings) {
    const auto opened = openLibrary("libze_loader.so.1");
    if (opened.path.empty())
        findings.push_back({Verdict::problem, "loader", opened.reason, "apt install libze1"});
    else
        findings.push_back({Verdict::good, "loader", fs::canonical(opened.path).native()});
    checkHeaders(findings);
}

}  // namespace zetl::command
