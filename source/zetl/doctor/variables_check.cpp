#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "doctor/finding.h"
#include "doctor/known_variables.h"
#include "text/spelling.h"

namespace zetl::command {
namespace {

constexpr std::string_view kOurs = "ZETL_";
constexpr std::string_view kLevelZeros[] = {"ZE_", "ZET_", "ZES_", "ZEL_", "ZER_"};

std::vector<std::string> knownNames() {
    std::vector<std::string> names;
    for (const auto& each : knownVariables()) names.push_back(each.name);
    return names;
}

/// A name that nothing reads. For Level Zero's prefixes only likely typing errors are reported, because other software
/// may have variables of its own.
void checkUnknown(const std::string& name, Findings& findings) {
    const auto meant = nearest(name, knownNames());
    if (!meant.empty())
        findings.push_back({Verdict::problem, "environment", fmt::format("nothing reads {}", name),
                            fmt::format("did you mean {}?", meant)});
    else if (name.starts_with(kOurs))
        findings.push_back({Verdict::note, "environment", fmt::format("nothing reads {}", name),
                            "docs/reference/settings.md lists the variables that are read"});
}

void checkVariable(const std::string& name, const std::string& value, const Installation& installation,
                   Findings& findings) {
    const auto all = knownVariables();
    const auto known = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
    if (known == all.end()) return checkUnknown(name, findings);
    if (const auto wrong = objection(*known, value, installation); !wrong.empty())
        findings.push_back(
            {Verdict::problem, "environment", fmt::format("{}={}: {}", name, value, wrong), "correct or unset it"});
    if (name == "ZET_ENABLE_API_TRACING_EXP" && value == "1")
        findings.push_back({Verdict::note, "environment",
                            name + "=1 makes loaders from 1.32 on print a line in every program",
                            "set ZE_ENABLE_TRACING_LAYER=1 instead, which prints nothing"});
}

bool concernsUs(std::string_view name) {
    return name.starts_with(kOurs) || std::any_of(std::begin(kLevelZeros), std::end(kLevelZeros),
                                                  [&](auto prefix) { return name.starts_with(prefix); });
}

}  // namespace

void checkVariables(const Patient& patient, Findings& findings) {
    std::vector<std::string> entries;
    for (char** each = environ; *each; ++each)
        if (concernsUs(*each)) entries.emplace_back(*each);
    std::sort(entries.begin(), entries.end());
    for (const auto& entry : entries) {
        const auto equals = std::min(entry.find('='), entry.size() - 1);
        checkVariable(entry.substr(0, equals), entry.substr(equals + 1), patient.installation, findings);
    }
}

}  // namespace zetl::command
