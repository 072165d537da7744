#include "metrics/stall_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string_view>
#include <vector>

#include "metrics/stalled_lines.h"
#include "text/demangled.h"

namespace zetl::command {
namespace {

constexpr std::size_t kListingBar = 10;
constexpr std::size_t kMainReasons = 2;
constexpr std::size_t kMostOfAFile = 24;  // characters
constexpr double kFew = 0.01;             // reasons of a smaller share are not worth a word
constexpr std::string_view kStall = "Stall";

/// A row as texts.
struct ListingRow {
    double share;
    std::string line;
    std::string reasons;
    std::string source;
};

double part(std::uint64_t some, std::uint64_t all) {
    return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
}

}  // namespace

std::string mainReasons(const StallProfile& profile, const StallCounts& samples) {
    std::vector<std::size_t> order(samples.size());
    std::iota(order.begin(), order.end(), std::size_t{});
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t reason) { return samples[reason]; });
    order.resize(std::min(order.size(), kMainReasons));
    std::string text;
    for (const auto reason : order) {
        const double share = part(samples[reason], sumOf(samples));
        std::string_view name = profile.reasons()[reason];
        if (name.ends_with(kStall)) name.remove_suffix(kStall.size());
        if (share >= kFew) text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, share * 100);
    }
    return text;
}

namespace {

std::string fileOf(const correlation::Place& place) {
    return cutInMiddle(printable(place.file.substr(place.file.rfind('/') + 1)), kMostOfAFile);
}

/// The file that all lines are in; empty if there are several, or none.
std::string commonFile(const std::vector<StalledLine>& lines) {
    std::string common;
    for (const auto& line : lines) {
        if (line.place.line == 0) continue;
        if (!common.empty() && common != line.place.file) return "";
        common = line.place.file;
    }
    return common;
}

/// Spaces in front of a line of code say nothing here.
std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t");
    return first == text.npos ? "" : text.substr(first);
}

std::vector<ListingRow> rowsOf(const StallProfile& profile, const StalledKernel& kernel, SourceLines& sources) {
    const auto lines = linesOf(kernel);
    const bool oneFile = !commonFile(lines).empty();
    const auto lineOf = [&](const correlation::Place& place) {
        if (place.line == 0) return std::string("-");
        return oneFile ? std::to_string(place.line) : fmt::format("{}:{}", fileOf(place), place.line);
    };
    std::vector<ListingRow> rows;
    rows.reserve(lines.size());
    for (const auto& line : lines)
        rows.push_back({part(sumOf(line.samples), sumOf(kernel.samples)), lineOf(line.place),
                        mainReasons(profile, line.samples), trimmed(printable(sources.line(line.place)))});
    return rows;
}

/// The name may take what the counts leave; the file has a line of its own if it does not fit behind them.
std::string headingOf(const StallProfile& profile, const StalledKernel& kernel, bool mangled,
                      const Terminal& terminal) {
    const auto samples = sumOf(kernel.samples);
    const auto counts = fmt::format(": {} samples, {:.1f} % of all", samples,
                                    part(samples, profile.mapped() + profile.unmapped()) * 100);
    const auto name = printable(mangled ? kernel.name : demangled(kernel.name));
    auto text = cutInMiddle(name, terminal.width - lengthOf(counts)) + counts;
    if (const auto file = printable(commonFile(linesOf(kernel))); !file.empty()) {
        const bool fits = lengthOf(text) + 2 + lengthOf(file) <= terminal.width;
        text += (fits ? ", " : "\n") + cutInMiddle(file, terminal.width);
    }
    return text + '\n';
}

}  // namespace

std::string stallListing(const StallProfile& profile, const StalledKernel& kernel, bool mangled, SourceLines& sources,
                         const Terminal& terminal) {
    const auto rows = rowsOf(profile, kernel, sources);
    std::size_t line = std::string_view("line").size();
    std::size_t reasons = std::string_view("waits for").size();
    for (const auto& row : rows) {
        line = std::max(line, lengthOf(row.line));
        reasons = std::max(reasons, lengthOf(row.reasons));
    }
    const auto written = [&](const std::string& share, const std::string& drawn, const ListingRow& row) {
        auto text = fmt::format("{:>8} {}  {:>{}}  {}  {}", share, drawn, row.line, line, padded(row.reasons, reasons),
                                row.source);
        text = cutAtEnd(text, terminal.width);
        text.erase(text.find_last_not_of(' ') + 1);
        return text + '\n';
    };
    auto text = headingOf(profile, kernel, mangled, terminal);
    text += written("share  ", padded("", kListingBar), {0, "line", "waits for", "source"});
    for (const auto& row : rows)
        text += written(fmt::format("{:.1f} %", row.share * 100), bar(row.share, kListingBar, terminal), row);
    return text;
}

std::string stallCode(const StallProfile& profile, const StalledKernel& kernel, bool mangled, SourceLines& sources) {
    auto text = fmt::format("\n{}: {} samples\n", printable(mangled ? kernel.name : demangled(kernel.name)),
                            sumOf(kernel.samples));
    std::string last;
    for (const auto& each : kernel.code) {
        const auto where = each.places.empty() ? last : whereOf(each.places.front());
        if (where != last)
            text += fmt::format("{:>8}  ; {} {}\n", "", printable(where), printable(sources.line(each.places.front())));
        last = where;
        const auto samples = sumOf(each.samples);
        const auto most = std::ranges::max_element(each.samples);
        text += fmt::format("{:>8}  {:6x}:  {}", samples ? std::to_string(samples) : "", each.instruction.offset,
                            each.instruction.text);
        if (samples)
            text += fmt::format("  ; {} {}", profile.reasons()[static_cast<std::size_t>(most - each.samples.begin())],
                                *most);
        text += '\n';
    }
    return text;
}

}  // namespace zetl::command
