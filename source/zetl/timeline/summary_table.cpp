// A summary as text: for people, and for programs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "text/demangled.h"
#include "text/json.h"
#include "text/terminal.h"
#include "timeline/source_lines.h"
#include "timeline/summary.h"

namespace zetl::command {

std::string durationText(std::uint64_t nanoseconds) {
    struct Unit {
        double size;
        const char* name;
    };
    constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    const auto value = static_cast<double>(nanoseconds);
    for (const auto& unit : kUnits)
        if (value >= unit.size) {
            const auto scaled = value / unit.size;
            return fmt::format("{:.{}f} {}", scaled, scaled < 10 ? 2 : scaled < 100 ? 1 : 0, unit.name);
        }
    return fmt::format("{} ns", nanoseconds);
}

namespace {

/// Rows of kernels and ranges on a terminal; files have all.
constexpr std::size_t kMostRowsShown = 200;

std::string rowsBeyond(std::size_t rows) {
    return rows > kMostRowsShown ? fmt::format("{} more in --json and --csv\n", rows - kMostRowsShown) : std::string();
}

/// All tables have the same columns: a name, which gets what the terminal is wider than the others, and six more.
struct TotalsRow {
    std::string name;
    std::string count;
    std::array<std::string, 4> times;
    std::string last;
};

std::string written(const std::vector<TotalsRow>& rows, const Terminal& terminal) {
    constexpr std::size_t kOthers = 9 + 4 * 9 + 7;  // with a space in front of each
    std::size_t longest = 0;
    for (const auto& row : rows) longest = std::max(longest, lengthOf(row.name));
    const auto name = std::min(longest, terminal.width - kOthers);
    std::string text;
    for (const auto& row : rows)
        text += fmt::format("{} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6}\n", padded(cutInMiddle(row.name, name), name),
                            row.count, row.times[0], row.times[1], row.times[2], row.times[3], row.last);
    return text;
}

TotalsRow rowOf(std::string_view name, const FunctionTotals& totals) {
    const auto time = [&](std::uint64_t value) { return totals.anyReturned() ? durationText(value) : "-"; };
    return {std::string(name),
            std::to_string(totals.calls),
            {time(totals.total), time(totals.average()), time(totals.shortest), time(totals.longest)},
            std::to_string(totals.errors)};
}

TotalsRow rowOf(const std::string& name, const WorkTotals& totals, double share) {
    return {printable(name),
            std::to_string(totals.launches),
            {durationText(totals.total), durationText(totals.average()), durationText(totals.shortest),
             durationText(totals.longest)},
            fmt::format("{:.1f}%", share * 100)};
}

std::string counted(std::uint64_t number, std::string_view noun, std::string_view plural = "s") {
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : plural);
}

/// Indexed by Shortage.
constexpr const char* kShortageTexts[kShortages] = {"not recorded", "beyond the recording's limit (--limit)",
                                                    "beyond the largest file allowed (ulimit -f)",
                                                    "the recording's directory is full (TMPDIR, --recording)"};

/// Sizes as lists; null: not known, or no kernel.
Json shapeJson(const RecordedSpan& span) {
    if (span.simdWidth == 0 && span.groups[0] == 0) return nullptr;
    return {{"grid", span.groups},
            {"group_size", span.groupSize},
            {"registers", span.registers},
            {"simd_width", span.simdWidth},
            {"local_bytes", span.localBytes}};
}

std::uint64_t shortestOf(const FunctionTotals& totals) { return totals.anyReturned() ? totals.shortest : 0; }

}  // namespace

std::string Summary::table(const Terminal& terminal, bool mangled) const {
    return functionTable(terminal) + workTable(terminal, mangled) + rangeTable(terminal) +
           ranks_.table(terminal, mangled);
}

std::string Summary::functionTable(const Terminal& terminal) const {
    std::vector<TotalsRow> lines{{"function", "calls", {"total", "average", "min", "max"}, "errors"}};
    FunctionTotals sum;
    const auto all = rows();
    for (const auto& [name, totals] : all) {
        lines.push_back(rowOf(name, *totals));
        sum.calls += totals->calls;
        sum.unfinished += totals->unfinished;
        sum.errors += totals->errors;
        sum.total += totals->total;
    }
    auto text = written(lines, terminal);
    text += fmt::format("{} of {} by {} in {}, {} in Level Zero, {}\n", counted(sum.calls, "call"),
                        counted(all.size(), "function"), counted(threads_, "thread"),
                        counted(processes_, "process", "es"), durationText(sum.total), counted(sum.errors, "error"));
    if (sum.unfinished)
        text += fmt::format("{} had not returned when the process ended\n", counted(sum.unfinished, "call"));
    for (std::size_t i = 0; i < kShortages; ++i)
        if (beyond_[i])
            text += fmt::format("{}; counted here but not on the timeline: {}\n", kShortageTexts[i],
                                counted(beyond_[i], "call"));
    return text;
}

std::string Summary::rangeTable(const Terminal& terminal) const {
    if (ranges_.empty()) return {};
    std::vector<TotalsRow> lines{{"ranges of the program", "times", {"total", "average", "min", "max"}, "open"}};
    const auto all = rangeRows();
    for (const auto& [name, totals] : std::span(all).first(std::min(all.size(), kMostRowsShown))) {
        auto row = rowOf(printable(std::string(name)), *totals);
        row.last = std::to_string(totals->unfinished);
        lines.push_back(std::move(row));
    }
    return '\n' + written(lines, terminal) + rowsBeyond(all.size());
}

std::string Summary::workTable(const Terminal& terminal, bool mangled) const {
    std::vector<TotalsRow> lines{{"on the device", "launches", {"total", "average", "min", "max"}, "share"}};
    const auto all = workRows();
    for (const auto& [name, totals, share] : std::span(all).first(std::min(all.size(), kMostRowsShown))) {
        const std::string full(name);
        lines.push_back(rowOf(mangled ? full : demangled(full), *totals, share));
    }
    auto text = lines.size() > 1 ? '\n' + written(lines, terminal) : std::string();
    text += rowsBeyond(all.size());
    if (spansBeyond_)
        text += fmt::format("{} on devices did not fit into the recording\n", counted(spansBeyond_, "command"));
    if (unmeasured_) text += fmt::format("{} on devices could not be measured\n", counted(unmeasured_, "command"));
    return text;
}

Table Summary::asTable() const {
    Table table{{"kind", "name", "count", "errors", "total_ns", "average_ns", "min_ns", "max_ns", "share"}, {}};
    for (const auto& [name, totals] : rows())
        table.rows.push_back({"call", name, totals->calls, totals->errors, totals->total, totals->average(),
                              shortestOf(*totals), totals->longest, ""});
    for (const auto& [name, totals, share] : workRows())
        table.rows.push_back({"device", name, totals->launches, "", totals->total, totals->average(), totals->shortest,
                              totals->longest, fmt::format("{:.4f}", share)});
    for (const auto& [name, totals] : rangeRows())
        table.rows.push_back({"range", name, totals->calls, "", totals->total, totals->average(), shortestOf(*totals),
                              totals->longest, ""});
    ranks_.addTo(table);
    return table;
}

std::string Summary::json() const {
    return tables(SIZE_MAX).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

WorkSums Summary::workSums() const {
    WorkSums sums;
    for (const auto& [name, totals] : work_) {
        ++sums.rows;
        sums.launches += totals.launches;
        sums.total += totals.total;
    }
    return sums;
}

Json Summary::tables(std::size_t most) const {
    Json calls = Json::array();
    Json device = calls;
    for (const auto& [name, totals] : rows())
        calls.push_back({{"function", name},
                         {"calls", totals->calls},
                         {"errors", totals->errors},
                         {"unfinished", totals->unfinished},
                         {"total_ns", totals->total},
                         {"average_ns", totals->average()},
                         {"min_ns", shortestOf(*totals)},
                         {"max_ns", totals->longest}});
    for (const auto& [name, totals, share] : workRows()) {
        if (device.size() == most) break;
        device.push_back({{"name", name},
                          {"launches", totals->launches},
                          {"total_ns", totals->total},
                          {"average_ns", totals->average()},
                          {"min_ns", totals->shortest},
                          {"max_ns", totals->longest},
                          {"bytes", totals->bytes},
                          {"share", share},
                          {"average_queued_ns", totals->averageQueued()},
                          {"longest_launch", shapeJson(totals->longestSpan)},
                          {"launches_differ", totals->varies}});
    }
    Json all;
    all["calls"] = std::move(calls);
    all["device"] = std::move(device);
    all["processes"] = processes_;
    all["threads"] = threads_;
    all["unmeasured"] = unmeasured_;
    all["device_beyond_limit"] = spansBeyond_;
    Json ranges = Json::array();
    for (const auto& [name, totals] : rangeRows()) {
        if (ranges.size() == most) break;
        ranges.push_back({{"name", name},
                          {"times", totals->calls},
                          {"unfinished", totals->unfinished},
                          {"total_ns", totals->total},
                          {"average_ns", totals->average()},
                          {"min_ns", shortestOf(*totals)},
                          {"max_ns", totals->longest}});
    }
    if (!ranges.empty()) all["ranges"] = std::move(ranges);
    if (auto ranks = ranks_.json(most); !ranks.is_null()) all["ranks"] = std::move(ranks);
    return all;
}

}  // namespace zetl::command
