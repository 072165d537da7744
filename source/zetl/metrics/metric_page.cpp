#include "metrics/metric_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "metrics/kernel_facts.h"
#include "metrics/kernel_report.h"
#include "metrics/roofline.h"
#include "metrics/screen_table.h"
#include "page/html.h"
#include "text/demangled.h"
#include "timeline/summary.h"

namespace zetl::command {
namespace {

constexpr std::size_t kMostFindings = 5;
constexpr double kLowPercent = 50;  // of the places for threads
constexpr std::string_view kTime = "modelled time[ns]";

using Row = std::vector<Json>;

HtmlCell percentCell(const std::optional<double>& percent) {
    if (!percent) return {"-", -1, -1};
    return {fmt::format("{:.1f} %", *percent), *percent, *percent / 100};
}

HtmlCell plainCell(const std::optional<double>& number) {
    return number ? HtmlCell{fmt::format("{:.4g}", *number), *number, -1} : HtmlCell{"-", -1, -1};
}

HtmlCell timeCell(const std::optional<double>& nanoseconds) {
    if (!nanoseconds || !(*nanoseconds >= 0)) return {"-", -1, -1};
    return {durationText(static_cast<std::uint64_t>(std::llround(*nanoseconds))), *nanoseconds, -1};
}

/// The kernels, the longest first.
class MetricSections {
  public:
    MetricSections(Page& page, const KernelTable& kernels, const std::map<std::string, TopStall>& stalls)
        : page_(page), kernels_(kernels), stalls_(stalls) {
        std::vector<const Row*> rows;
        rows.reserve(kernels.table.rows.size());
        for (const auto& row : kernels.table.rows) rows.push_back(&row);
        std::ranges::stable_sort(rows, std::ranges::greater(), [&](const Row* row) {
            return numberIn(kernels.table, *row, kTime)
                .value_or(KernelFacts(kernels, *row)
                              .cycles()
                              .value_or(numberIn(kernels.table, *row, "GpuTime[ns]").value_or(0)));
        });
        for (const auto* row : rows) sum_ += numberIn(kernels.table, *row, kTime).value_or(0);
        rows.resize(std::min(rows.size(), HtmlTable::kMostRows));
        rows_ = std::move(rows);
    }

    void add() {
        page_.addFigure("measured kernels", std::to_string(kernels_.table.rows.size()));
        if (kernels_.table.rows.size() > rows_.size())
            page_.addFinding(Page::Level::note,
                             fmt::format("Of {} measured kernels, the {} that take longest are shown.",
                                         kernels_.table.rows.size(), rows_.size()));
        if (kernels_.device)
            page_.addFigure("modelled time of kernels", durationText(static_cast<std::uint64_t>(std::llround(sum_))));
        if (isReportable(kernels_)) addSpeedOfLight();
        addCounters();
    }

  private:
    std::string nameOf(const Row& row) const { return demangled(cellText(row[0])); }

    void addFindingsOf(const Row& row, const KernelFacts& facts) {
        const auto time = facts.number(kTime);
        const auto advice = facts.advice();
        if (time && sum_ > 0 && !advice.empty())
            page_.addFinding(Page::Level::note, fmt::format("{} takes {:.0f}% of the modelled time. {}", nameOf(row),
                                                            *time / sum_ * 100, advice));
        const auto held = facts.occupancy();
        const auto limit = facts.occupancyLimit();
        if (held && *held < kLowPercent && !limit.empty())
            page_.addFinding(
                Page::Level::warning,
                fmt::format("{} uses {:.0f}% of the places for threads, limited by {}.", nameOf(row), *held, limit));
    }

    std::string stallOf(const Row& row, const KernelFacts& facts) const {
        const auto most = facts.topStall();
        if (!most) return "-";
        auto text = fmt::format("{:.0f} % {}", most->percent, most->of);
        const auto found = stalls_.find(cellText(row[0]));
        if (found != stalls_.end() && !found->second.place.empty()) text += ", at " + found->second.place;
        return text;
    }

    void addSpeedOfLight() {
        HtmlTable light({"#No.", "Kernel", "#Launches", kernels_.device ? "#Modelled time" : "#Cycles", "#Compute",
                         "Busiest pipe", "#Memory", "Busiest level", "#Places used", "Waits for", "Advice"});
        std::vector<KernelFacts> facts;
        std::vector<std::string> names;
        facts.reserve(rows_.size());
        names.reserve(rows_.size());
        for (const auto* row : rows_) {
            const auto& own = facts.emplace_back(kernels_, *row);
            names.push_back(nameOf(*row));
            if (facts.size() <= kMostFindings) addFindingsOf(*row, own);
            const auto compute = own.compute();
            const auto memory = own.memory();
            const auto percent = [](const std::optional<Share>& share) {
                return percentCell(share ? std::optional(share->percent) : std::nullopt);
            };
            light.add({{std::to_string(facts.size()), static_cast<double>(facts.size()), -1},
                       {names.back()},
                       plainCell(own.number("launches")),
                       kernels_.device ? timeCell(own.number(kTime)) : plainCell(own.cycles()),
                       percent(compute),
                       {std::string(compute ? compute->of : "-")},
                       percent(memory),
                       {std::string(memory ? memory->of : "-")},
                       percentCell(own.occupancy()),
                       {stallOf(*row, own)},
                       {own.advice()}});
        }
        page_.addSection("light", "Speed of light",
                         light.html() + "<p class=note>Shares of what the device could do in that time.</p>");
        if (!kernels_.device) return;
        if (const auto drawing = roofline(facts, names); !drawing.empty())
            page_.addSection(
                "roofline", "Roofline",
                drawing +
                    "<p class=note>Numbers are those of the table above. A kernel below the sloped roof is "
                    "limited by memory at best, one below a level roof by arithmetic. Kernels without "
                    "floating-point operations or traffic to memory have no point.</p>");
    }

    void addCounters() {
        std::vector<std::string> columns;
        columns.reserve(kernels_.table.headings.size());
        for (std::size_t i = 0; i < kernels_.table.headings.size(); ++i)
            columns.push_back((i == 0 ? "" : "#") + screenHeading(kernels_.table.headings[i]));
        HtmlTable table(std::move(columns));
        for (const auto* row : rows_) {
            std::vector<HtmlCell> cells{{nameOf(*row)}};
            cells.reserve(row->size());
            for (std::size_t i = 1; i < row->size(); ++i) {
                const auto& cell = (*row)[i];
                cells.push_back(
                    {screenValue(kernels_.table.headings[i], cell), cell.is_number() ? cell.get<double>() : -1, -1});
            }
            table.add(cells);
        }
        page_.addSection("counters", "Counters of kernels", table.html());
    }

    Page& page_;
    const KernelTable& kernels_;
    const std::map<std::string, TopStall>& stalls_;
    std::vector<const Row*> rows_;
    double sum_ = 0;
};

}  // namespace

void addMetricSections(Page& page, const KernelTable& kernels, const std::map<std::string, TopStall>& stalls) {
    if (!kernels.table.rows.empty()) MetricSections(page, kernels, stalls).add();
}

std::string metricPage(const KernelTable& kernels, const std::map<std::string, TopStall>& stalls) {
    Page page("zetl metrics query",
              kernels.table.rows.empty() ? "no kernel" : demangled(cellText(kernels.table.rows.front()[0])));
    addMetricSections(page, kernels, stalls);
    page.addEnvironment({});
    return page.html();
}

}  // namespace zetl::command
