// Changes as people and other programs read them.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "baseline/baseline.h"
#include "metrics/screen_table.h"
#include "text/demangled.h"
#include "text/terminal.h"
#include "text/xml.h"
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

}  // namespace

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
    if (changes.empty()) return fmt::format("{} kernels cost what the baseline says.\n", kernels);
    constexpr std::size_t kWhole = 4096;
    return shownTable(changes, kWhole).markdown();
}

std::string changesJunit(const std::vector<CostChange>& changes, const Baseline& before, const Baseline& now) {
    std::set<std::string> kernels;
    for (const auto* const all : {&before.kernels, &now.kernels})
        for (const auto& [name, cost] : *all) kernels.insert(name);
    std::string cases;
    std::size_t failures = 0;
    for (const std::string& kernel : kernels) {
        std::string lines;
        for (const CostChange& each : changes)
            if (each.kernel == kernel)
                lines += fmt::format("{}: {} in the baseline, {} now {}\n", counterText(each), numberText(each.before),
                                     numberText(each.now), percentText(each));
        const std::string name = xmlText(demangled(kernel));
        if (lines.empty()) {
            cases += fmt::format("    <testcase classname=\"baseline\" name=\"{}\" time=\"0\"/>\n", name);
            continue;
        }
        ++failures;
        cases += fmt::format(
            "    <testcase classname=\"baseline\" name=\"{}\" time=\"0\">\n"
            "      <failure type=\"cost\" message=\"the kernel costs something else\">{}</failure>\n    </testcase>\n",
            name, xmlText(lines));
    }
    return junitText("zetl baseline", kernels.size(), failures, cases);
}

}  // namespace zetl::command
