#include "doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>

namespace zetl::command {
namespace {

using Check = void (*)(const Patient&, Findings&);
constexpr Check kChecks[] = {checkInstallation, checkVariables, checkDriverList, checkLoader,
                             checkSlots,        checkDrivers,   checkCompiler,   checkPermissions,
                             checkDependencies, checkNvidia,    checkTranslation};

constexpr const char* kLabels[] = {"ok", "note", "problem"};

auto count(const Findings& findings, Verdict verdict) {
    return std::count_if(findings.begin(), findings.end(),
                         [=](const Finding& finding) { return finding.verdict == verdict; });
}

}  // namespace

Findings examine(const Patient& patient) {
    Findings findings;
    for (const auto& check : kChecks) check(patient, findings);
    return findings;
}

int prescribe(const Findings& findings, bool onlyTrouble) {
    for (const auto& finding : findings) {
        if (onlyTrouble && finding.verdict == Verdict::good) continue;
        fmt::print("{:<9} {}: {}\n", kLabels[static_cast<int>(finding.verdict)], finding.subject, finding.fact);
        if (!finding.remedy.empty()) fmt::print("{:<9} -> {}\n", "", finding.remedy);
    }
    const auto problems = count(findings, Verdict::problem);
    fmt::print("{} problems, {} notes\n", problems, count(findings, Verdict::note));
    return problems ? 1 : 0;
}

}  // namespace zetl::command
