// Changes as people and other programs read them.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "baseline/baseline.h"
#include "metrics/screen_table.h"
#include "text/demangled.h"
#include "text/json.h"
#include "text/terminal.h"
#include "timeline/source_lines.h"

namespace zetl::command {
namespace {

std::string numberText(const std::optional<double>& number) {
    return number ? fmt::format("{:.10g}", *number) : std::string("none");
}

std::string percentText(const CostChange& change) {
    const auto percent = change.percent();
    return percent ? fmt::format("{:+.2f} %", *percent) : std::string();
}

/// A kernel that is missing or new has launches.
std::string counterText(const CostChange& change) { return change.counter.empty() ? kLaunches : change.counter; }

/// Texts as people read them.
Table shownTable(const std::vector<CostChange>& changes, std::size_t mostOfAName) {
    Table table{{"kernel", "counter", "baseline", "now", "change"}, {}};
    for (const CostChange& each : changes)
        table.rows.push_back({cutInMiddle(printable(demangled(each.kernel)), mostOfAName), printable(counterText(each)),
                              numberText(each.before), numberText(each.now), percentText(each)});
    return table;
}

Json costCell(const std::optional<double>& number) { return number ? Json(*number) : Json(""); }

std::string sentenceOf(const CostChange& change) {
    const std::string percent = percentText(change);
    return fmt::format("{}: {} in the baseline, {} now{}", printable(counterText(change)), numberText(change.before),
                       numberText(change.now), percent.empty() ? percent : fmt::format(" ({})", percent));
}

std::size_t ruleOf(const CostChange& change) {
    constexpr std::size_t kCost = 0;
    constexpr std::size_t kNew = 1;
    constexpr std::size_t kMissing = 2;
    if (!change.counter.empty()) return kCost;
    return change.before ? kMissing : kNew;
}

/// What a person needs to see first: counters are many, and change together.
std::string problemText(const std::vector<const CostChange*>& changes) {
    constexpr std::size_t kShown = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(changes.size(), kShown); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : "; ", sentenceOf(*changes[i]));
    if (changes.size() > kShown) text += fmt::format("; and {} more", changes.size() - kShown);
    return text;
}

std::string linesOf(const std::vector<const CostChange*>& changes) {
    std::string text;
    for (const CostChange* each : changes) text += sentenceOf(*each) + '\n';
    return text;
}

/// The line of a baseline's text at which a kernel begins; 1 if it has none.
std::size_t lineOf(const std::string& text, const std::string& kernel) {
    const auto at = text.find(Json(kernel).dump(-1, ' ', false, Json::error_handler_t::replace) + ':');
    if (at == std::string::npos) return 1;
    return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

}  // namespace

std::string kernelsText(std::size_t kernels) { return fmt::format("{} kernel{}", kernels, kernels == 1 ? "" : "s"); }

Table changesTable(const std::vector<CostChange>& changes) {
    Table table{{"kernel", "counter", "baseline", "now", "change[percent]"}, {}};
    for (const CostChange& each : changes)
        table.rows.push_back(
            {each.kernel, counterText(each), costCell(each.before), costCell(each.now), costCell(each.percent())});
    return table;
}

std::string changesText(const std::vector<CostChange>& changes) {
    constexpr std::size_t kKernel = 32;
    return screenTable(shownTable(changes, kKernel));
}

std::string changesMarkdown(const std::vector<CostChange>& changes, std::size_t kernels) {
    if (changes.empty()) return fmt::format("No cost has changed in {}.\n", kernelsText(kernels));
    constexpr std::size_t kWhole = 4096;
    return shownTable(changes, kWhole).markdown();
}

Report changesReport(const std::vector<CostChange>& changes, const Baseline& before, const Baseline& now,
                     const BaselineFile& file, bool accepted) {
    const check::Level level = accepted ? check::Level::info : check::Level::error;
    Report report{"zetl baseline",
                  file.name,
                  {{"baseline/cost", "a kernel costs something else than in the baseline", level},
                   {"baseline/new", "the baseline does not have a kernel", level},
                   {"baseline/missing", "a kernel of the baseline is not launched", level}}};
    std::map<std::string, std::vector<const CostChange*>> byKernel;
    for (const auto* const all : {&before.kernels, &now.kernels})
        for (const auto& [name, cost] : *all) byKernel[name];
    for (const CostChange& each : changes) byKernel[each.kernel].push_back(&each);
    for (const auto& [kernel, changed] : byKernel) {
        TestCase test{"baseline", demangled(kernel)};
        if (!changed.empty()) {
            Problem problem;
            problem.rule = ruleOf(*changed.front());
            problem.text = problemText(changed);
            problem.source = fmt::format("{}:{}", file.name, lineOf(file.text, kernel));
            problem.function = printable(demangled(kernel));
            problem.key = fmt::format("{} {}", report.rules[problem.rule].name, kernel);
            test.failure = Failure{"cost", report.rules[problem.rule].summary, linesOf(changed)};
            report.problems.push_back(std::move(problem));
        }
        report.cases.push_back(std::move(test));
    }
    return report;
}

}  // namespace zetl::command
