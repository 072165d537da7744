#include "findings/finding_page.h"

#include <fmt/format.h>

#include <array>

#include "findings/finding_text.h"
#include "findings/gathered.h"
#include "page/html.h"
#include "page/page.h"

namespace zetl::command {
namespace {

constexpr std::size_t kMostReports = 500;
constexpr std::size_t kMostListed = 20;

Page::Level pageLevelOf(const check::Finding& finding) {
    constexpr std::array kLevels = {Page::Level::note, Page::Level::warning, Page::Level::error};  // by check::Level
    return kLevels[static_cast<std::size_t>(check::levelOf(finding))];
}

std::string sideOf(const check::Finding& finding) {
    if (finding.sides.empty()) return "";
    const auto& side = finding.sides.front();
    return side.kernel.empty() ? side.command : side.kernel + ", " + placeOf(side);
}

}  // namespace

void addFindingSections(Page& page, std::span<const check::Finding> findings) {
    std::array<std::size_t, 3> counts{};
    for (const auto& finding : findings) ++counts[static_cast<std::size_t>(check::levelOf(finding))];
    page.addFigure("errors", std::to_string(counts[2]));
    page.addFigure("warnings", std::to_string(counts[1]));
    page.addFigure("notes", std::to_string(counts[0]));
    HtmlTable table({"Kind", "Message", "Where", "#Times"});
    std::string reports;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        const auto& finding = findings[i];
        const std::string kind(check::infoOf(finding.kind).name);
        if (i < kMostListed) page.addFinding(pageLevelOf(finding), kind + ": " + finding.message + '.');
        table.add({{kind},
                   {finding.message},
                   {sideOf(finding)},
                   {std::to_string(finding.count), static_cast<double>(finding.count), -1}});
        if (i < kMostReports) reports += "<pre>" + escaped(blockOf(finding)) + "</pre>\n";
    }
    if (findings.empty()) page.addFinding(Page::Level::good, "No mistake was found.");
    if (findings.size() > kMostListed)
        page.addFinding(Page::Level::note,
                        fmt::format("{} more are in the table below.", findings.size() - kMostListed));
    if (!findings.empty()) page.addSection("findings", "Mistakes in kernels", table.html());
    if (!reports.empty()) page.addSection("reports", "Reports of mistakes", reports);
    if (findings.size() > kMostReports)
        page.addFinding(Page::Level::note,
                        fmt::format("The first {} reports are shown; --json has all.", kMostReports));
}

std::string findingPage(std::span<const check::Finding> findings, const std::string& program,
                        const std::string& summary) {
    Page page("zetl check", program);
    addFindingSections(page, findings);
    page.addSection("summary", "Summary", "<pre>" + escaped(summary) + "</pre>");
    page.addEnvironment({});
    return page.html();
}

}  // namespace zetl::command
