#include "metrics/query.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include "files/file_content.h"
#include "files/output_file.h"
#include "injected/query_format.h"
#include "metrics/listing.h"
#include "recording/directory.h"
#include "run/launch.h"
#include "text/csv.h"
#include "text/json.h"

namespace zetl::command {
namespace {

using Words = std::vector<std::string>;

Json numberIn(const std::string& text) {
    double value = 0;
    const auto* const last = text.data() + text.size();
    if (std::from_chars(text.data(), last, value).ec != std::errc()) return text;
    constexpr double kExact = 9007199254740992.0;
    const bool whole = value >= 0 && value < kExact && value == static_cast<double>(static_cast<std::uint64_t>(value));
    return whole ? Json(static_cast<std::uint64_t>(value)) : Json(value);
}

/// Columns derived from others, if those exist.
struct Derived {
    const char* heading;
    // sums
    std::vector<std::string_view> above;
    std::vector<std::string_view> below;
    double factor;
};
const Derived kDerived[] = {
    {"L3[GB/s]", {"L3_BYTE_READ[bytes]", "L3_BYTE_WRITE[bytes]"}, {"modelled time[ns]"}, 1},
    {"memory[GB/s]", {"GPU_MEMORY_BYTE_READ[bytes]", "GPU_MEMORY_BYTE_WRITE[bytes]"}, {"modelled time[ns]"}, 1},
    {"L1 hits[percent]", {"LOAD_STORE_CACHE_HIT[events]"}, {"LOAD_STORE_CACHE_ACCESS[events]"}, 100},
    {"L3 hits[percent]", {"L3_HIT[events]"}, {"L3_HIT[events]", "L3_MISS[events]"}, 100},
    {"intensity[events/byte]",
     {"XVE_INST_EXECUTED_ALU0_ALL[events]"},
     {"GPU_MEMORY_BYTE_READ[bytes]", "GPU_MEMORY_BYTE_WRITE[bytes]"},
     1},
};

std::optional<double> sumOfColumns(const std::vector<std::string_view>& names, const Words& headings,
                                   const std::vector<Json>& row) {
    double sum = 0;
    for (const auto name : names) {
        const auto found = std::ranges::find(headings, name);
        if (found == headings.end()) return std::nullopt;
        const auto& cell = row[static_cast<std::size_t>(found - headings.begin())];
        if (!cell.is_number()) return std::nullopt;
        sum += cell.get<double>();
    }
    return sum;
}

void derive(Table& table) {
    const auto measured = table.headings;
    for (const auto& each : kDerived) {
        std::vector<Json> cells;
        for (const auto& row : table.rows) {
            const auto above = sumOfColumns(each.above, measured, row);
            const auto below = sumOfColumns(each.below, measured, row);
            if (above && below) cells.emplace_back(*below > 0 ? each.factor * *above / *below : 0.0);
        }
        if (cells.size() != table.rows.size() || cells.empty()) continue;
        table.headings.emplace_back(each.heading);
        for (std::size_t i = 0; i < cells.size(); ++i) table.rows[i].push_back(std::move(cells[i]));
    }
}

OutputFile outputOf(const QueryOptions& options) {
    const bool forPrograms = options.format != Format::table;
    return {options.output.empty() && forPrograms ? "-" : options.output, "table", "-o chooses another file"};
}

void show(const std::string& text, OutputFile& output) {
    if (!output) fmt::print(stderr, "\n{}", text);
    writeAll(output, text);
}

}  // namespace

Table kernelTable(const std::string& written) {
    Table table;
    std::istringstream stream(written);
    for (std::string line; std::getline(stream, line);) {
        auto fields = fieldsOf(line);
        if (!line.empty() && line[0] == kQueryHead) {
            table.headings = {"kernel", "launches"};
            table.headings.insert(table.headings.end(), fields.begin() + 1, fields.end());
        } else if (fields.size() == table.headings.size() && !fields.empty()) {
            auto& row = table.rows.emplace_back();
            row.emplace_back(fields[0]);
            for (std::size_t i = 1; i < fields.size(); ++i) row.push_back(numberIn(fields[i]));
        }
    }
    derive(table);
    return table;
}

int query(const Installation& installation, const Choice& choice, const QueryOptions& options) {
    requireFiles({installation.layer, installation.queries});
    if (!options.group.empty()) requireGroup(installation, choice, options.group, "event");
    auto output = outputOf(options);
    const RecordingDirectory directory("");
    const auto file = directory.path() / "kernels";
    apply(variablesFor(installation, choice));
    apply(queryingVariables(installation, file, options.group, options.perLaunch));
    const int code = runToEnd(options.program, besides(output));
    const auto table = kernelTable(contentOf(file).value_or(""));
    if (table.rows.empty()) {
        fmt::print(
            stderr,
            "zetl: no kernel was measured. Either the program launched none, or it ended by _exit or a signal, or "
            "it is set-user-id, or the device has no event-based metrics; `zetl metrics list` lists the groups\n");
        return code != 0 ? code : 1;
    }
    show(table.text(options.format), output);
    return code;
}

}  // namespace zetl::command
