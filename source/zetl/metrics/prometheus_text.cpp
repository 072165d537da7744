#include "metrics/prometheus_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace zetl::command {
namespace {

bool isLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::string metricName(std::string_view counter) {
    std::string name = "zetl_";
    for (const char each : counter) name += isLetterOrDigit(each) ? each : '_';
    return name;
}

/// Names come from drivers.
std::string labelText(std::string_view text) {
    std::string safe;
    for (const char each : text) {
        if (each == '\\' || each == '"') safe += '\\';
        safe += each < ' ' || each > '~' ? '?' : each;
    }
    return safe;
}

}  // namespace

PrometheusMetrics::PrometheusMetrics(const std::vector<CounterSource>& sources) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto& source = sources[i];
        totals_.push_back(
            {fmt::format("source=\"{}\",device=\"{}\",tile=\"{}\"", i, labelText(source.device), source.tile),
             std::vector<double>(source.columns.size())});
        for (std::size_t column = 0; column < source.columns.size(); ++column)
            if (source.columns[column].plotted) familyOf(source.columns[column], i).series.push_back({i, column});
    }
}

/// Counters of one source whose names differ only in characters that Prometheus does not allow get numbers.
PrometheusMetrics::Family& PrometheusMetrics::familyOf(const CounterColumn& column, std::size_t source) {
    const auto name = metricName(column.name);
    auto candidate = name;
    for (int number = 2;; ++number) {
        const auto found = std::ranges::find(families_, candidate, &Family::name);
        if (found == families_.end()) {
            auto help = labelText(column.name) + (column.units.empty() ? "" : ", in " + labelText(column.units));
            return families_.emplace_back(Family{candidate, std::move(help), {}});
        }
        if (found->series.back().source != source) return *found;
        candidate = fmt::format("{}_{}", name, number);
    }
}

void PrometheusMetrics::add(const CounterRow& row) {
    const std::lock_guard guard(mutex_);
    auto& totals = totals_.at(row.source);
    ++totals.reports;
    totals.lost += row.lost;
    for (std::size_t i = 0; i < std::min(totals.sums.size(), row.values.size()); ++i) totals.sums[i] += row.values[i];
}

std::string PrometheusMetrics::text() const {
    const std::lock_guard guard(mutex_);
    std::string text;
    const auto end = std::back_inserter(text);
    for (const auto& family : families_) {
        fmt::format_to(end, "# HELP {0} {1}; sum over reports\n# TYPE {0} summary\n", family.name, family.help);
        for (const auto& [source, column] : family.series) {
            const auto& totals = totals_[source];
            fmt::format_to(end, "{0}_sum{{{1}}} {2}\n{0}_count{{{1}}} {3}\n", family.name, totals.labels,
                           totals.sums[column], totals.reports);
        }
    }
    text += "# HELP zetl_lost_reports_total Reports that the device lost\n# TYPE zetl_lost_reports_total counter\n";
    for (const auto& totals : totals_)
        fmt::format_to(end, "zetl_lost_reports_total{{{}}} {}\n", totals.labels, totals.lost);
    return text;
}

}  // namespace zetl::command
