#include "metrics/table.h"

#include <fmt/format.h>

#include "metrics/screen_table.h"
#include "text/csv.h"
#include "text/json.h"

namespace zetl::command {
namespace {

std::string asCsv(const Table& table) {
    std::string text;
    for (std::size_t i = 0; i < table.headings.size(); ++i) text += (i ? "," : "") + csvText(table.headings[i]);
    text += '\n';
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) text += (i ? "," : "") + csvText(cellText(row[i]));
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

std::string cellText(const Json& cell) {
    if (cell.is_string()) return cell.get<std::string>();
    return cell.is_number_float() ? fmt::format("{:.6g}", cell.get<double>()) : cell.dump();
}

std::string Table::text(Format format) const {
    switch (format) {
        case Format::csv:
            return asCsv(*this);
        case Format::json:
            return asJson(*this);
        default:
            return screenTable(*this);
    }
}

}  // namespace zetl::command
