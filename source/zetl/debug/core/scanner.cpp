#include "core/scanner.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "core/failure.h"
#include "core/module_list.h"

namespace zetl::debugger {
namespace {

bool isDigit(char each) { return std::isdigit(static_cast<unsigned char>(each)) != 0; }
bool isPartOfName(char each) { return std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_'; }

/// The length of the number with which the text begins, "1.5e-3" among them.
std::size_t numberLength(std::string_view text, bool isHex) {
    std::size_t end = 0;
    const auto isSign = [&] {
        return !isHex && end > 0 && (text[end - 1] == 'e' || text[end - 1] == 'E') &&
               (text[end] == '-' || text[end] == '+');
    };
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.' || isSign()))
        ++end;
    return end;
}

}  // namespace

void Scanner::skip() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0) rest_.remove_prefix(1);
}

bool Scanner::take(std::string_view token) {
    skip();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
}

void Scanner::need(std::string_view token) {
    if (!take(token)) fail("'{}' is missing before '{}'", token, rest_);
}

std::string Scanner::word() {
    skip();
    const auto end = std::ranges::find_if_not(rest_, isPartOfName) - rest_.begin();
    std::string result(rest_.substr(0, static_cast<std::size_t>(end)));
    rest_.remove_prefix(result.size());
    return result;
}

bool Scanner::isAtName() const noexcept { return !rest_.empty() && isPartOfName(rest_.front()); }

const Operator* Scanner::takeOperator(int weakest) {
    skip();
    const Operator* const found = operatorAt(rest_);
    if (!found || found->strength <= weakest) return nullptr;
    rest_.remove_prefix(found->text.size());
    return found;
}

bool Scanner::isAtNumber() const noexcept { return !rest_.empty() && (isDigit(rest_.front()) || rest_.front() == '.'); }

Scalar Scanner::number() {
    const bool isHex = rest_.starts_with("0x") || rest_.starts_with("0X");
    const std::string text(rest_.substr(0, numberLength(rest_, isHex)));
    rest_.remove_prefix(text.size());
    if (!isHex && text.find_first_of(".eE") != std::string::npos) {
        char* stopped = nullptr;
        const double value = std::strtod(text.c_str(), &stopped);
        if (*stopped == '\0' || std::string_view(stopped) == "f") return value;
    } else if (const auto value = numberFrom(text)) {
        return *value <= INT64_MAX ? Scalar(static_cast<std::int64_t>(*value)) : Scalar(*value);
    }
    fail("{}: not a number; type decimal digits, or 0x and hexadecimal ones", text);
}

void Scanner::deeper() {
    if (++depth_ > deepest_) fail("the expression is nested too deeply; print its parts one by one");
}

}  // namespace zetl::debugger
