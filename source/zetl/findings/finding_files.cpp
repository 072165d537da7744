#include "findings/finding_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "findings/finding_text.h"
#include "findings/gathered.h"
#include "text/json.h"

namespace zetl::command {
namespace {

/// The instruction's line, and where its functions were inlined.
Json stackOf(const check::Side& side, const std::string& root) {
    auto frames = Json::array();
    frames.push_back({{"location", sarifLocation(side.source, side.kernel, root)}});
    for (const std::string& place : side.inlinedAt)
        frames.push_back({{"location", sarifLocation(place.substr(0, place.find(" (")), side.kernel, root)}});
    return {{"frames", frames}};
}

Problem problemOf(const check::Finding& finding, const std::string& root) {
    Problem problem;
    problem.rule = static_cast<std::size_t>(finding.kind);
    problem.text = finding.message;
    problem.key = fingerprint(finding);
    if (finding.onlyWarns) problem.more["level"] = "warning";
    problem.more["occurrenceCount"] = std::clamp<std::uint64_t>(finding.count, 1, 0x7fffffff);
    if (!finding.sides.empty()) {
        problem.source = finding.sides.front().source;
        problem.function = finding.sides.front().kernel;
    }
    for (std::size_t i = 1; i < finding.sides.size(); ++i) {
        const check::Side& side = finding.sides[i];
        Json related = sarifLocation(side.source, side.kernel, root);
        related["id"] = i;
        related["message"] = {{"text", fmt::format("the other side: {}", nameOf(side.access))}};
        problem.more["relatedLocations"].push_back(std::move(related));
    }
    for (const check::Side& side : finding.sides)
        if (!side.inlinedAt.empty()) problem.more["stacks"].push_back(stackOf(side, root));
    return problem;
}

TestCase caseOf(const check::Finding& finding) {
    const std::string kind(check::infoOf(finding.kind).name);
    const std::string kernel = finding.sides.empty() ? std::string() : finding.sides.front().kernel;
    const std::string place = finding.sides.empty() ? std::string() : placeOf(finding.sides.front());
    return {kind, fmt::format("{} {}", kernel, place), Failure{kind, finding.message, blockOf(finding)}};
}

}  // namespace

std::string jsonLines(std::span<const check::Finding> findings) {
    std::string text;
    for (const check::Finding& finding : findings) {
        Json line{{"schema", 1}, {"key", fingerprint(finding)}};
        line.update(Json::parse(check::toJson(finding)));
        text += line.dump() + '\n';
    }
    return text;
}

Report findingReport(std::span<const check::Finding> findings, check::Groups groups, const std::string& program,
                     const std::string& root) {
    Report report{"zetl check", program};
    for (const check::KindInfo& info : check::allKinds())
        report.rules.push_back({std::string(info.name), std::string(info.summary), info.level});
    for (const check::Finding& finding : findings) {
        report.problems.push_back(problemOf(finding, root));
        report.cases.push_back(caseOf(finding));
    }
    for (const check::KindInfo& info : check::allKinds()) {
        const bool found =
            std::ranges::any_of(findings, [&](const check::Finding& finding) { return finding.kind == info.kind; });
        if (!found && groups.has(info.group))
            report.cases.push_back({std::string(info.name), std::string(info.name), std::nullopt});
    }
    return report;
}

}  // namespace zetl::command
