#include "doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/terminal.h"

namespace zetl::command {
namespace {

using Check = void (*)(const Patient&, Findings&);
constexpr Check kChecks[] = {checkInstallation, checkVariables, checkDriverList, checkLoader,
                             checkSlots,        checkDrivers,   checkCompiler,   checkPermissions,
                             checkDependencies, checkNvidia,    checkTranslation};

constexpr const char* kLabels[] = {"ok", "note", "problem"};

/// Where the second and further lines begin.
constexpr std::size_t kIndent = 10;

std::string labelOf(const Finding& finding) { return kLabels[static_cast<int>(finding.verdict)]; }

std::string indented(const std::string& label, const std::string& text, std::size_t width) {
    std::string shown;
    for (const auto& line : inLines(text, width - kIndent))
        shown += fmt::format("{:<{}}{}\n", shown.empty() ? label : "", kIndent, line);
    return shown;
}

}  // namespace

Findings examine(const Patient& patient) {
    Findings findings;
    for (const auto& check : kChecks) check(patient, findings);
    return findings;
}

std::size_t countOf(const Findings& findings, Verdict verdict) {
    return static_cast<std::size_t>(std::ranges::count(findings, verdict, &Finding::verdict));
}

std::string prescription(const Findings& findings, std::size_t width) {
    std::string text;
    for (const auto& finding : findings) {
        text += indented(labelOf(finding), fmt::format("{}: {}", finding.subject, finding.fact), width);
        if (!finding.remedy.empty()) text += indented("", "-> " + finding.remedy, width);
    }
    return text;
}

Table findingTable(const Findings& findings) {
    Table table{{"verdict", "subject", "fact", "remedy"}, {}};
    for (const auto& finding : findings)
        table.rows.push_back({labelOf(finding), finding.subject, finding.fact, finding.remedy});
    return table;
}

}  // namespace zetl::command
