#include "metrics/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "csv.h"
#include "json.h"

namespace zetl::command {
namespace {

std::string plain(const Json& cell) {
    if (cell.is_string()) return cell.get<std::string>();
    return cell.is_number_float() ? fmt::format("{:.6g}", cell.get<double>()) : cell.dump();
}

std::string asTable(const Table& table) {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < table.headings.size(); ++i) {
        widths.push_back(table.headings[i].size());
        for (const auto& row : table.rows) widths[i] = std::max(widths[i], plain(row[i]).size());
    }
    std::string text;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const bool numbers = !table.rows.empty() && table.rows[0][i].is_number();
        text += numbers ? fmt::format("{:>{}}", table.headings[i], widths[i])
                        : fmt::format("{:<{}}", table.headings[i], widths[i]);
        text += i + 1 < widths.size() ? "  " : "\n";
    }
    for (const auto& row : table.rows)
        for (std::size_t i = 0; i < widths.size(); ++i) {
            text += row[i].is_number() ? fmt::format("{:>{}}", plain(row[i]), widths[i])
                                       : fmt::format("{:<{}}", plain(row[i]), widths[i]);
            text += i + 1 < widths.size() ? "  " : "\n";
        }
    return text;
}

std::string asCsv(const Table& table) {
    std::string text;
    for (std::size_t i = 0; i < table.headings.size(); ++i) text += (i ? "," : "") + csvText(table.headings[i]);
    text += '\n';
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) text += (i ? "," : "") + csvText(plain(row[i]));
        text += '\n';
    }
    return text;
}

std::string asJson(const Table& table) {
    auto all = Json::array();
    for (const auto& row : table.rows) {
        Json object = Json::object();
        for (std::size_t i = 0; i < row.size(); ++i) object[table.headings[i]] = row[i];
        all.push_back(std::move(object));
    }
    return all.dump(2) + '\n';
}

}  // namespace

std::string Table::text(Format format) const {
    switch (format) {
        case Format::csv:
            return asCsv(*this);
        case Format::json:
            return asJson(*this);
        default:
            return asTable(*this);
    }
}

}  // namespace zetl::command
