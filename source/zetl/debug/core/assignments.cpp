#include "core/assignments.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace zetl::debugger {
namespace {

constexpr int kMostLines = 5000;
constexpr int kMostLinesOfStatement = 50;

bool isWordPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string_view withoutComment(std::string_view line) { return line.substr(0, line.find("//")); }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
    return text;
}

/// Behind members and elements: "x.y[3] = 1" sets x.
std::string_view behindParts(std::string_view text) {
    for (;;) {
        text = trimmed(text);
        if (text.starts_with('[')) {
            const auto end = text.find(']');
            if (end == std::string_view::npos) return text;
            text.remove_prefix(end + 1);
        } else if (text.starts_with('.') || text.starts_with("->")) {
            text.remove_prefix(text.starts_with('.') ? 1 : 2);
            while (!text.empty() && isWordPart(text.front())) text.remove_prefix(1);
        } else {
            return text;
        }
    }
}

bool isSetBehind(std::string_view rest) {
    constexpr std::array kOperators = {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
    rest = behindParts(rest);
    const bool assigns = rest.starts_with('=') && !rest.starts_with("==");
    return assigns || std::ranges::any_of(kOperators, [&](const char* each) { return rest.starts_with(each); });
}

/// The name in "= name;" and "= (type)name;"; empty for anything else.
std::string_view copiedBehind(std::string_view rest) {
    rest = trimmed(rest);
    if (!rest.starts_with('=') || rest.starts_with("==")) return {};
    rest = trimmed(rest.substr(1));
    if (rest.starts_with('(')) rest = trimmed(rest.substr(std::min(rest.find(')'), rest.size() - 1) + 1));
    const auto end = std::ranges::find_if_not(rest, isWordPart) - rest.begin();
    const auto name = rest.substr(0, static_cast<std::size_t>(end));
    const auto behind = trimmed(rest.substr(name.size()));
    const bool isName = !name.empty() && !std::isdigit(static_cast<unsigned char>(name.front()));
    return isName && (behind.starts_with(';') || behind.starts_with(',')) ? name : std::string_view();
}

/// "++x", and "&x" behind anything that is no operand.
bool isSetBefore(std::string_view before) {
    before = trimmed(before);
    if (before.ends_with("++") || before.ends_with("--")) return true;
    if (!before.ends_with('&') || before.ends_with("&&")) return false;
    before = trimmed(before.substr(0, before.size() - 1));
    return before.empty() || !(isWordPart(before.back()) || before.back() == ')' || before.back() == ']');
}

/// Calls visit(before, behind) for each place where the name is a word.
template <class F>
void eachMention(std::string_view line, std::string_view name, F&& visit) {
    for (auto at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
        const auto end = at + name.size();
        const bool isWord = (at == 0 || !isWordPart(line[at - 1])) && (end == line.size() || !isWordPart(line[end]));
        if (isWord) visit(line.substr(0, at), line.substr(end));
    }
}

bool sets(std::string_view line, std::string_view name) {
    bool found = false;
    eachMention(line, name, [&](std::string_view before, std::string_view behind) {
        found |= isSetBehind(behind) || isSetBefore(before);
    });
    return found;
}

/// How much deeper in blocks the line ends; `lowest`: the least on the way.
int depthOf(std::string_view line, int& lowest) {
    int depth = 0;
    for (const char each : line) {
        depth += each == '{' ? 1 : each == '}' ? -1 : 0;
        lowest = std::min(lowest, depth);
    }
    return depth;
}

}  // namespace

AssigningLines assigningLines(SourceText& source, const std::string& file, int declared, const std::string& name) {
    AssigningLines result;
    if (declared > 0) result.lines.insert(declared);
    const int all = source.lines(file);
    if (declared <= 0 || declared > all || name.empty()) return result;
    const int count = std::min(all, declared + kMostLines);
    result.hasText = true;
    int depth = 0;
    int left = 0;  // lines of a statement that sets it
    for (int number = declared; number <= count && depth >= 0; ++number) {
        const auto text = source.line(file, number);
        const auto line = withoutComment(text);
        const bool isSet = sets(line, name);
        if (number == declared) result.isInitialised = isSet;
        eachMention(line, name, [&](std::string_view, std::string_view behind) {
            if (const auto copied = copiedBehind(behind); !copied.empty()) result.copies.emplace(copied);
        });
        if (isSet) left = kMostLinesOfStatement;
        if (left > 0) result.lines.insert(number);
        left = line.find(';') != std::string_view::npos ? 0 : std::max(0, left - 1);
        int lowest = 0;
        const int change = depthOf(line, lowest);
        if (depth + lowest < 0) break;
        depth += change;
    }
    return result;
}

}  // namespace zetl::debugger
