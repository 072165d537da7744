#include "text/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "text/csv.h"

namespace zetl::command {
namespace {

/// Bars and ends of lines divide cells, and the other characters begin markup.
std::string markdownCell(const std::string& text) {
    constexpr std::string_view kMarkup = "|<\\`*_[";
    std::string cell;
    for (const char each : text) {
        const auto byte = static_cast<unsigned char>(each);
        if (kMarkup.find(each) != kMarkup.npos) cell += '\\';
        cell += byte < ' ' || byte == 0x7f ? ' ' : each;
    }
    return cell;
}

/// One line of a Markdown table.
template <class Cells, class Text>
std::string markdownLine(const Cells& cells, const Text& text) {
    std::string line = "|";
    for (const auto& each : cells) line += fmt::format(" {} |", markdownCell(text(each)));
    return line + '\n';
}

}  // namespace

std::string cellText(const Json& cell) {
    if (cell.is_string()) return cell.get<std::string>();
    return cell.is_number_float() ? fmt::format("{:.6g}", cell.get<double>()) : cell.dump();
}

std::string Table::csv() const {
    std::string text;
    for (std::size_t i = 0; i < headings.size(); ++i) text += (i ? "," : "") + csvText(headings[i]);
    text += '\n';
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) text += (i ? "," : "") + csvText(cellText(row[i]));
        text += '\n';
    }
    return text;
}

std::string Table::json() const {
    auto all = Json::array();
    for (const auto& row : rows) {
        Json object = Json::object();
        for (std::size_t i = 0; i < row.size(); ++i) object[headings[i]] = row[i];
        all.push_back(std::move(object));
    }
    return all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string Table::markdown() const {
    auto text = markdownLine(headings, [](const std::string& heading) { return heading; }) + '|';
    for (std::size_t i = 0; i < headings.size(); ++i) {
        const auto isNumber = [&](const auto& row) { return i < row.size() && row[i].is_number(); };
        text += std::ranges::any_of(rows, isNumber) ? "---:|" : "---|";
    }
    text += '\n';
    for (const auto& row : rows) text += markdownLine(row, cellText);
    return text;
}

}  // namespace zetl::command
