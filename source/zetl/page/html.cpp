#include "page/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace zetl::command {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The bytes of the UTF-8 character at the beginning; 0 if there is none. Overlong forms and surrogates are none.
std::size_t characterAt(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
    const auto first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first < 0xF0) {
        const bool legal = (first != 0xE0 || byte(1) >= 0xA0) && (first != 0xED || byte(1) < 0xA0);
        return legal && follows(1) && follows(2) ? 3 : 0;
    }
    if (first < 0xF0 || first > 0xF4) return 0;
    const bool legal = (first != 0xF0 || byte(1) >= 0x90) && (first != 0xF4 || byte(1) < 0x90);
    return legal && follows(1) && follows(2) && follows(3) ? 4 : 0;
}

std::string_view escapedAscii(const char& character) {
    switch (character) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        default:
            break;
    }
    const bool isControl = static_cast<unsigned char>(character) < ' ' || character == 0x7f;
    if (isControl && character != '\n' && character != '\t') return kReplacement;
    return {&character, 1};
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const auto size = characterAt(text);
        if (size > 1)
            result += text.substr(0, size);
        else
            result += size == 1 ? escapedAscii(text.front()) : kReplacement;
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return result;
}

std::string scriptJson(const Json& value) {
    std::string result;
    for (const char each : value.dump(-1, ' ', false, Json::error_handler_t::replace))
        if (each == '<')
            result += "\\u003c";
        else
            result += each;
    return result;
}

void HtmlTable::add(const std::vector<HtmlCell>& row) {
    if (++count_ > kMostRows) return;
    rows_ += "<tr>";
    for (std::size_t i = 0; i < row.size() && i < columns_.size(); ++i) {
        const auto& cell = row[i];
        const bool isNumber = columns_[i].starts_with('#');
        rows_ += isNumber ? fmt::format("<td class=n data-v=\"{}\"", cell.value) : std::string("<td");
        if (cell.share >= 0) rows_ += fmt::format(" style=\"--s:{:.2f}%\"", std::min(cell.share, 1.0) * 100);
        rows_ += '>' + escaped(cell.text) + "</td>";
    }
    rows_ += "</tr>\n";
}

std::string HtmlTable::html() const {
    std::string text = "<div class=wide><table><thead><tr>";
    for (const auto& column : columns_) {
        const bool isNumber = column.starts_with('#');
        text += fmt::format("<th{} aria-sort=none><button type=button>{}</button></th>", isNumber ? " class=n" : "",
                            escaped(isNumber ? std::string_view(column).substr(1) : column));
    }
    text += "</tr></thead><tbody>\n" + rows_ + "</tbody></table></div>\n";
    if (count_ > kMostRows)
        text +=
            fmt::format("<p class=note>The first {} of {} rows; --json and --csv have all.</p>\n", kMostRows, count_);
    return text;
}

}  // namespace zetl::command
