#include "metrics/screen_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/terminal.h"
#include "timeline/source_lines.h"
#include "timeline/summary.h"

namespace zetl::command {
namespace {

constexpr std::size_t kScreen = 80;          // characters of a line
constexpr std::size_t kMostTurnedRows = 64;  // beyond that, scrolling is easier
constexpr std::string_view kGap = "  ";

struct Cell {
    std::string text;
    bool number = false;
};
/// A line of the screen. The first one holds the headings.
using Line = std::vector<Cell>;

std::string duration(double nanoseconds) { return durationText(static_cast<std::uint64_t>(nanoseconds)); }
std::string bytes(double count) {
    constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    for (; count >= 1024 && unit + 1 < kUnits.size(); ++unit) count /= 1024;
    return fmt::format("{:.{}f} {}", count, unit == 0 || count >= 100 ? 0 : 1, kUnits[unit]);
}
std::string share(double percent) { return fmt::format("{:.2f} %", percent); }

/// A unit that is written in the cells.
struct Measure {
    std::string_view name;  ///< the end of the heading
    std::string (*text)(double value);
};
constexpr Measure kMeasures[] = {{"[ns]", duration}, {"[bytes]", bytes}, {"[percent]", share}};

const Measure* measureOf(std::string_view heading) {
    const auto* const found =
        std::ranges::find_if(kMeasures, [&](const Measure& m) { return heading.ends_with(m.name); });
    return found == std::end(kMeasures) ? nullptr : found;
}

Cell headingCell(std::string_view heading) {
    if (const Measure* const measure = measureOf(heading)) heading.remove_suffix(measure->name.size());
    return {printable(std::string(heading))};
}
Cell valueCell(std::string_view heading, const Json& value) {
    const Measure* const measure = measureOf(heading);
    const bool scaled = measure != nullptr && value.is_number() && value.get<double>() >= 0;
    return {scaled ? measure->text(value.get<double>()) : printable(cellText(value)), value.is_number()};
}

std::vector<Line> linesOf(const Table& table) {
    std::vector<Line> lines(1);
    for (const auto& heading : table.headings) lines[0].push_back(headingCell(heading));
    for (const auto& row : table.rows) {
        auto& line = lines.emplace_back();
        for (std::size_t i = 0; i < row.size(); ++i) line.push_back(valueCell(table.headings[i], row[i]));
    }
    if (lines.size() > 1)
        for (std::size_t i = 0; i < lines[0].size(); ++i) lines[0][i].number = lines[1][i].number;
    return lines;
}

std::vector<std::size_t> widthsOf(const std::vector<Line>& lines) {
    std::vector<std::size_t> widths(lines[0].size());
    for (const auto& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].text.size());
    return widths;
}
std::size_t total(const std::vector<std::size_t>& widths) {
    std::size_t sum = 0;
    for (const auto width : widths) sum += width + kGap.size();
    return sum;
}

std::string aligned(const std::vector<Line>& lines) {
    const auto widths = widthsOf(lines);
    std::string text;
    for (const auto& line : lines) {
        std::string written;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (i > 0) written += kGap;
            written += line[i].number ? fmt::format("{:>{}}", line[i].text, widths[i])
                                      : fmt::format("{:<{}}", line[i].text, widths[i]);
        }
        written.erase(written.find_last_not_of(' ') + 1);
        text += written + '\n';
    }
    return text;
}

/// Takes out the columns of texts that say the same in every row, and says them once.
std::string saidOnce(std::vector<Line>& lines) {
    std::string text;
    if (lines.size() < 3) return text;
    for (std::size_t i = 0; i < lines[0].size() && lines[0].size() > 1;) {
        const bool same = std::ranges::all_of(lines.begin() + 1, lines.end(), [&](const Line& line) {
            return !line[i].number && line[i].text == lines[1][i].text;
        });
        if (!same) {
            ++i;
            continue;
        }
        text += fmt::format("{}: {}\n", lines[0][i].text, lines[1][i].text);
        for (auto& line : lines) line.erase(line.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return text;
}

/// The last column in as many lines as its words need, in what the others leave of the screen. Nothing if that is too
/// little, or if it holds numbers.
std::optional<std::string> withLastInLines(const std::vector<Line>& lines) {
    constexpr std::size_t kLeast = 24;
    auto widths = widthsOf(lines);
    widths.pop_back();
    const auto others = total(widths);
    if (lines[1].back().number || others + kLeast > kScreen) return std::nullopt;
    std::vector<Line> narrow;
    for (const auto& line : lines) {
        auto& first = narrow.emplace_back(line);
        const auto words = inLines(line.back().text, kScreen - others);
        first.back().text = words.front();
        for (std::size_t i = 1; i < words.size(); ++i) {
            auto& further = narrow.emplace_back(line.size());
            further.back().text = words[i];
        }
    }
    return aligned(narrow);
}

/// The headings and the rows [first, last) as columns.
std::vector<Line> turned(const std::vector<Line>& lines, std::size_t first, std::size_t last) {
    std::vector<Line> result;
    for (std::size_t i = 0; i < lines[0].size(); ++i) {
        auto& line = result.emplace_back(Line{{lines[0][i].text}});
        for (std::size_t row = first; row < last; ++row) line.push_back({lines[row][i].text, true});
    }
    return result;
}

/// Blocks of as many rows as fit the width of the screen, at least one.
std::string inBlocks(const std::vector<Line>& lines) {
    std::string text;
    for (std::size_t first = 1; first < lines.size();) {
        std::size_t last = first + 1;
        while (last < lines.size() && total(widthsOf(turned(lines, first, last + 1))) <= kScreen) ++last;
        text += (first > 1 ? "\n" : "") + aligned(turned(lines, first, last));
        first = last;
    }
    return text;
}

}  // namespace

std::string screenHeading(std::string_view heading) { return headingCell(heading).text; }
std::string screenValue(std::string_view heading, const Json& value) { return valueCell(heading, value).text; }

std::string screenTable(const Table& table) {
    const auto fits = [](const auto& lines) { return total(widthsOf(lines)) <= kScreen + kGap.size(); };
    auto lines = linesOf(table);
    if (fits(lines) || table.rows.empty()) return aligned(lines);
    const auto once = saidOnce(lines);
    if (fits(lines)) return once + aligned(lines);
    if (const auto narrow = withLastInLines(lines)) return once + *narrow;
    return once + (table.rows.size() > kMostTurnedRows ? aligned(lines) : inBlocks(lines));
}

}  // namespace zetl::command
