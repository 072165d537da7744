#include "metrics/kernel_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "metrics/kernel_facts.h"
#include "metrics/screen_table.h"
#include "metrics/zeros_text.h"
#include "text/demangled.h"
#include "text/terminal.h"
#include "timeline/source_lines.h"
#include "timeline/summary.h"

namespace zetl::command {
namespace {

constexpr std::size_t kReportWidth = 80;
constexpr std::size_t kBar = 20;  // characters of a bar
constexpr std::size_t kOverviewName = 32;
constexpr std::size_t kLabel = 15;  // characters of a label
constexpr std::string_view kTimeHeading = "modelled time[ns]";

using Row = std::vector<Json>;

std::string rowName(const Row& row) { return printable(demangled(cellText(row[0]))); }

std::string reportLine(std::string_view label, const std::string& text) {
    return cutInMiddle(fmt::format("  {:<{}}{}", label, kLabel - 2, text), kReportWidth) + "\n";
}

/// Words in as many lines as they need, the first with the label.
std::string wrapped(std::string_view label, const std::string& text) {
    std::string all;
    for (const auto& line : inLines(text, kReportWidth - kLabel)) {
        all += reportLine(label, line);
        label = "";
    }
    return all;
}

std::string barText(double percent) { return "|" + bar(percent / 100, kBar, Terminal()) + "|"; }
std::string percentText(double percent) { return fmt::format("{:5.1f} %", percent); }
/// Three digits, and no exponent.
std::string rateText(double value) { return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2); }
std::string timeText(double nanoseconds) { return durationText(static_cast<std::uint64_t>(std::llround(nanoseconds))); }

/// What a sample of the work-groups leaves open.
std::string errorText(const KernelFacts& facts) {
    const auto error = facts.number("GpuCoreClocksError[cycles]").value_or(0);
    const auto cycles = facts.cycles().value_or(0);
    return error > 0 && cycles > 0 ? fmt::format(" +/- {:.0f} %", std::ceil(100 * error / cycles)) : "";
}

std::string durationLine(const KernelFacts& facts) {
    const auto nanoseconds = facts.number(kTimeHeading);
    const auto launches = facts.number("launches").value_or(1);
    const auto each = launches > 1 ? fmt::format(" in {:.0f} launches", launches) : "";
    if (!nanoseconds && facts.cycles()) return reportLine("cycles", fmt::format("{:.0f}{}", *facts.cycles(), each));
    if (!nanoseconds) return "";
    return reportLine(
        "duration", fmt::format("{}{}{} (model: {:.0f} cycles at {:.0f} MHz)", timeText(*nanoseconds), errorText(facts),
                                each, facts.cycles().value_or(0), facts.device()[coreMegahertz]));
}

std::string numberOf(double count, std::string_view things) {
    return fmt::format("{:.0f} {}{}", count, things, count == 1 ? "" : "s");
}

std::string launchLine(const KernelFacts& facts) {
    const auto threads = facts.threads();
    const auto groups = facts.groups();
    if (!threads || !groups) return "";
    return reportLine("launch", numberOf(*threads, "thread") + " in " + numberOf(*groups, "work-group"));
}

std::string speedOfLight(std::string_view label, const std::optional<Share>& found) {
    if (!found) return "";
    return reportLine(label, fmt::format("{} {}  {}", percentText(found->percent), barText(found->percent), found->of));
}

/// A rate, and its share of what the device can do.
struct Rate {
    std::string_view name;
    std::string_view heading;
    std::string_view peak;  ///< the heading of that share
    std::string_view hits;  ///< the heading of the hit rate; empty: there is none
};
constexpr Rate kLevelRates[] = {
    {"L1", "L1[GB/s]", "L1 of peak[percent]", "L1 hits[percent]"},
    {"L3", "L3[GB/s]", "L3 of peak[percent]", "L3 hits[percent]"},
    {"memory", "memory[GB/s]", "memory of peak[percent]", ""},
};
constexpr Rate kTypeRates[] = {
    {"FP16", "FP16[GFLOP/s]", "FP16 of peak[percent]", ""},
    {"FP32", "FP32[GFLOP/s]", "FP32 of peak[percent]", ""},
    {"FP64", "FP64[GFLOP/s]", "FP64 of peak[percent]", ""},
    {"XMX float", "XMX float[GFLOP/s]", "XVE_INST_EXECUTED_XMX_ALL_UTILIZATION[percent]", ""},
    {"XMX integer", "XMX integer[GOP/s]", "XVE_INST_EXECUTED_XMX_ALL_UTILIZATION[percent]", ""},
};

std::string ratesOf(std::span<const Rate> rates, std::string_view unit, bool zeros, const KernelFacts& facts) {
    std::string text;
    for (const auto& each : rates) {
        const auto value = facts.number(each.heading);
        const auto peak = facts.number(each.peak);
        if (!value || !peak || (*value == 0 && !zeros)) continue;
        const auto hits = facts.number(each.hits);
        text += reportLine(each.name, fmt::format("{:>9} {}  {} of peak{}", rateText(*value), unit, percentText(*peak),
                                                  hits ? fmt::format("  {} hits", percentText(*hits)) : ""));
    }
    return text;
}

std::string occupancyLines(const KernelFacts& facts) {
    const auto held = facts.occupancy();
    if (!held) return "";
    const auto limit = facts.occupancyLimit();
    return wrapped("occupancy", percentText(*held) + (limit.empty() ? "" : "  limited by " + limit));
}

std::string stallLines(const KernelFacts& facts, const TopStall* top) {
    const auto most = facts.topStall();
    if (!most) return "";
    auto text = wrapped("top stall",
                        fmt::format("{}  of the threads' time: waiting for {}", percentText(most->percent), most->of));
    if (top && !top->place.empty())
        text += reportLine("", fmt::format("{}  of the waiting at {}", percentText(100 * top->share), top->place));
    if (top && !top->text.empty()) text += reportLine("", top->text);
    if (top && top->place.empty() && !top->withoutLines.empty())
        text += wrapped("", "no source line: " + top->withoutLines);
    return text;
}

bool isShownAbove(std::string_view heading) {
    constexpr std::array<std::string_view, 5> kFirst = {"kernel", "launches", "launch", kTimeHeading,
                                                        "local memory of a group[bytes]"};
    constexpr std::array<std::string_view, 5> kEnds = {" of peak[percent]", " hits[percent]", "[GB/s]", "FLOP/s]",
                                                       "GOP/s]"};
    return std::ranges::find(kFirst, heading) != kFirst.end() ||
           std::ranges::any_of(kEnds, [&](std::string_view end) { return heading.ends_with(end); });
}

/// GpuTime of a model's query is what the emulation took.
std::string counterLabel(const KernelTable& kernels, const std::string& heading) {
    const auto label = screenHeading(heading);
    return label == "GpuTime" && kernels.device ? "GpuTime (host clock)" : label;
}

std::string counterLines(const KernelTable& kernels, const Row& row) {
    std::string text = "  counters\n";
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const auto& heading = kernels.table.headings[i];
        if (isShownAbove(heading)) continue;
        const bool zero = row[i].is_number() && row[i].get<double>() == 0;
        zeros += zero;
        if (!zero)
            text += cutInMiddle(
                        fmt::format("    {:<52}{:>22}", counterLabel(kernels, heading), screenValue(heading, row[i])),
                        kReportWidth) +
                    "\n";
    }
    return zeros ? text + fmt::format("    {}\n", zerosText(zeros)) : text;
}

std::string kernelBlock(const KernelTable& kernels, const Row& row, const TopStall* top) {
    const KernelFacts facts(kernels, row);
    const auto advice = facts.advice();
    return cutInMiddle(rowName(row), kReportWidth) + "\n" + durationLine(facts) + launchLine(facts) +
           speedOfLight("compute", facts.compute()) + speedOfLight("memory use", facts.memory()) +
           ratesOf(kLevelRates, "GB/s", true, facts) + ratesOf(kTypeRates, "GFLOP/s", false, facts) +
           occupancyLines(facts) + stallLines(facts, top) + (advice.empty() ? "" : wrapped("advice", advice)) +
           counterLines(kernels, row);
}

std::string overviewHead(const KernelTable& kernels, std::string_view first) {
    return fmt::format("{:<{}} {:>8} {:>10} {:>8} {:>8} {:>8}\n", "kernel", kOverviewName, first,
                       kernels.device ? "duration" : "cycles", "compute", "memory", "occupied");
}
std::string costText(const KernelTable& kernels, const KernelFacts& facts) {
    if (!kernels.device) return fmt::format("{:.0f}", facts.cycles().value_or(0));
    return timeText(facts.number(kTimeHeading).value_or(0));
}
std::string overviewLine(const KernelTable& kernels, const Row& row, std::string_view first) {
    const KernelFacts facts(kernels, row);
    const auto percent = [](std::optional<double> value) { return value ? fmt::format("{:.1f} %", *value) : "-"; };
    const auto of = [&](const std::optional<Share>& found) {
        return percent(found ? std::optional(found->percent) : std::nullopt);
    };
    return fmt::format("{:<{}} {:>8.0f} {:>10} {:>8} {:>8} {:>8}\n", cutInMiddle(rowName(row), kOverviewName),
                       kOverviewName, facts.number(first).value_or(0), costText(kernels, facts), of(facts.compute()),
                       of(facts.memory()), percent(facts.occupancy()));
}
std::string overviewTable(const KernelTable& kernels, const std::vector<const Row*>& rows, std::string_view first) {
    auto text = overviewHead(kernels, first);
    for (const auto* row : rows) text += overviewLine(kernels, *row, first);
    return text;
}

std::vector<const Row*> allRows(const KernelTable& kernels) {
    std::vector<const Row*> rows;
    rows.reserve(kernels.table.rows.size());
    for (const auto& row : kernels.table.rows) rows.push_back(&row);
    return rows;
}

}  // namespace

bool isReportable(const KernelTable& kernels) {
    const KernelFacts first(kernels, kernels.table.rows.front());
    return kernels.device || (first.compute() && first.memory());
}

std::string kernelReport(const KernelTable& kernels, const std::map<std::string, TopStall>& stalls) {
    auto rows = allRows(kernels);
    std::ranges::stable_sort(rows, std::ranges::greater(), [&](const Row* row) {
        const KernelFacts facts(kernels, *row);
        return facts.number(kTimeHeading).value_or(facts.cycles().value_or(0));
    });
    std::string text = rows.size() > 1 ? overviewTable(kernels, rows, "launches") : "";
    for (const auto* row : rows) {
        const auto found = stalls.find(cellText((*row)[0]));
        text +=
            (text.empty() ? "" : "\n") + kernelBlock(kernels, *row, found == stalls.end() ? nullptr : &found->second);
    }
    return text;
}

std::string launchReport(const KernelTable& kernels) { return overviewTable(kernels, allRows(kernels), "launch"); }

}  // namespace zetl::command
