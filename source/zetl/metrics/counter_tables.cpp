#include "metrics/counter_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "metrics/screen_table.h"
#include "metrics/zeros_text.h"
#include "text/json.h"
#include "text/terminal.h"
#include "timeline/source_lines.h"

namespace zetl::command {
namespace {

struct Range {
    double lowest = std::numeric_limits<double>::max();
    double highest = std::numeric_limits<double>::lowest();
    double sum = 0;
    std::uint64_t count = 0;
};

std::vector<std::vector<Range>> rangesOf(const CounterRecording& counters) {
    std::vector<std::vector<Range>> ranges;
    for (const auto& source : counters.sources()) ranges.emplace_back(source.columns.size());
    counters.forEach([&](const CounterRow& row) {
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            auto& range = ranges[row.source][i];
            range.lowest = std::min(range.lowest, row.values[i]);
            range.highest = std::max(range.highest, row.values[i]);
            range.sum += row.values[i];
            ++range.count;
        }
    });
    return ranges;
}

/// Whole numbers are written as such.
Json numberFrom(double value) {
    constexpr double kExact = 9007199254740992.0;
    if (value >= 0 && value < kExact && value == static_cast<double>(static_cast<std::uint64_t>(value)))
        return static_cast<std::uint64_t>(value);
    return value;
}

std::string headingOf(const CounterColumn& column) {
    return column.units.empty() ? column.name : fmt::format("{}[{}]", column.name, column.units);
}

constexpr std::string_view kOfTheReport[] = {"time[ns]", "device", "tile", "lost", "interpolated"};

std::vector<Json> cellsOf(const CounterSource& source, const CounterRow& row) {
    return {row.time, source.device, source.tile, row.lost, row.interpolated};
}

/// The number of rows that are formatted at a time.
constexpr std::size_t kBlock = 1024;

std::vector<std::string> headingsOf(const CounterRecording& counters) {
    std::vector<std::string> headings(std::begin(kOfTheReport), std::end(kOfTheReport));
    if (counters.sources().empty()) return headings;
    for (const auto& column : counters.sources().front().columns) headings.push_back(headingOf(column));
    return headings;
}

/// The values under the headings of the first source.
std::vector<Json> underHeadings(const CounterRecording& counters, const CounterRow& row) {
    const auto& source = counters.sources()[row.source];
    auto cells = cellsOf(source, row);
    for (const auto& wanted : counters.sources().front().columns) {
        const auto found = std::ranges::find(source.columns, wanted.name, &CounterColumn::name);
        cells.push_back(found == source.columns.end()
                            ? Json("")
                            : numberFrom(row.values[static_cast<std::size_t>(found - source.columns.begin())]));
    }
    return cells;
}

}  // namespace

Table counterSummary(const CounterRecording& counters) {
    Table table{{"device", "tile", "metric", "units", "lowest", "mean", "highest"}, {}};
    const auto ranges = rangesOf(counters);
    for (std::size_t number = 0; number < ranges.size(); ++number) {
        const auto& source = counters.sources()[number];
        for (std::size_t i = 0; i < source.columns.size(); ++i) {
            const auto& range = ranges[number][i];
            if (!source.columns[i].plotted || range.count == 0) continue;
            table.rows.push_back({source.device, source.tile, source.columns[i].name, source.columns[i].units,
                                  numberFrom(range.lowest), range.sum / static_cast<double>(range.count),
                                  numberFrom(range.highest)});
        }
    }
    return table;
}

std::string counterText(const Table& summary) {
    enum Column : std::size_t { device, tile, metric, units, lowest, mean, highest };
    constexpr auto kLine = "{:<41}{:>13}{:>13}{:>13}\n";
    std::string text;
    std::string last;
    std::size_t zeros = 0;
    const auto endDevice = [&] {
        if (zeros) text += zerosText(zeros) + '\n';
        zeros = 0;
    };
    for (const auto& row : summary.rows) {
        const auto source = fmt::format("{}, tile {}", printable(cellText(row[device])), cellText(row[tile]));
        if (source != last) {
            endDevice();
            text +=
                (last.empty() ? "" : "\n") + source + '\n' + fmt::format(kLine, "metric", "lowest", "mean", "highest");
            last = source;
        }
        if (row[lowest] == 0 && row[highest] == 0) {
            ++zeros;
            continue;
        }
        const auto unit = cellText(row[units]);
        const auto heading = cellText(row[metric]) + (unit.empty() ? "" : "[" + unit + "]");
        text += fmt::format(kLine, cutInMiddle(screenHeading(heading), 41), screenValue(heading, row[lowest]),
                            screenValue(heading, row[mean]), screenValue(heading, row[highest]));
    }
    endDevice();
    return text;
}

CounterTotals totalsOf(const CounterRecording& counters) {
    CounterTotals totals;
    counters.forEach([&](const CounterRow& row) {
        ++totals.reports;
        totals.interpolated += row.interpolated;
        totals.lost += row.lost;
    });
    return totals;
}

void writeCounterCsv(const CounterRecording& counters, const WriteText& write) {
    Table block{headingsOf(counters), {}};
    bool first = true;
    const auto flush = [&] {
        const auto text = block.csv();
        write(first ? text : text.substr(text.find('\n') + 1));
        first = false;
        block.rows.clear();
    };
    counters.forEach([&](const CounterRow& row) {
        block.rows.push_back(underHeadings(counters, row));
        if (block.rows.size() == kBlock) flush();
    });
    flush();
}

void writeCounterJson(const CounterRecording& counters, const WriteText& write) {
    const char* separator = "[\n";
    counters.forEach([&](const CounterRow& row) {
        const auto& source = counters.sources()[row.source];
        const auto cells = cellsOf(source, row);
        auto object = Json::object();
        for (std::size_t i = 0; i < cells.size(); ++i) object[std::string(kOfTheReport[i])] = cells[i];
        for (std::size_t i = 0; i < row.values.size(); ++i)
            object[headingOf(source.columns[i])] = numberFrom(row.values[i]);
        write(separator + object.dump(-1, ' ', false, Json::error_handler_t::replace));
        separator = ",\n";
    });
    write(std::string_view(separator).starts_with('[') ? "[]\n" : "\n]\n");
}

}  // namespace zetl::command
