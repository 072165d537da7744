// Expressions of inspector.h.
#include <cctype>
#include <cstdlib>

#include "core/failure.h"
#include "core/inspector.h"

namespace zetl::debugger {
namespace {

constexpr int kDeepest = 100;

struct Operator {
    std::string_view text;
    int strength;  ///< binds the tighter the higher
};
// Longer ones first, where one begins as another.
constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
                                   {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
                                   {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

template <class T>
Scalar combine(std::string_view op, T left, T right) {
    if (op == "==") return std::int64_t{left == right};
    if (op == "!=") return std::int64_t{left != right};
    if (op == "<=") return std::int64_t{left <= right};
    if (op == ">=") return std::int64_t{left >= right};
    if (op == "<") return std::int64_t{left < right};
    if (op == ">") return std::int64_t{left > right};
    if (op == "+") return T(left + right);
    if (op == "-") return T(left - right);
    if (op == "*") return T(left * right);
    if (op == "/" && right == 0 && !std::is_same_v<T, double>) fail("division by zero");
    if (op == "/") return T(left / right);
    if constexpr (!std::is_same_v<T, double>) {
        if (op == "%" && right == 0) fail("division by zero");
        if (op == "%") return T(left % right);
        if (op == "|") return T(left | right);
        if (op == "^") return T(left ^ right);
        if (op == "&") return T(left & right);
        if (op == "<<") return T(right >= 0 && right < 64 ? static_cast<std::uint64_t>(left) << right : 0);
        if (op == ">>") return T(right >= 0 && right < 64 ? left >> right : 0);
    }
    fail("{} has no meaning for these values", op);
}

Scalar combine(std::string_view op, const Scalar& left, const Scalar& right) {
    if (op == "&&") return std::int64_t{isTrue(left) && isTrue(right)};
    if (op == "||") return std::int64_t{isTrue(left) || isTrue(right)};
    if (std::holds_alternative<double>(left) || std::holds_alternative<double>(right))
        return combine<double>(op, asDouble(left), asDouble(right));
    if (std::holds_alternative<std::uint64_t>(left) || std::holds_alternative<std::uint64_t>(right))
        return combine<std::uint64_t>(op, asBits(left), asBits(right));
    const auto first = std::get<std::int64_t>(left);
    const auto second = std::get<std::int64_t>(right);
    if ((op == "/" || op == "%") && second == -1)  // the lowest number has no counterpart
        return op == "%" ? Scalar(std::int64_t{0}) : Scalar(static_cast<std::int64_t>(0 - asBits(left)));
    if (op == "+" || op == "-" || op == "*")  // wraps around, as the device does
        return static_cast<std::int64_t>(asBits(combine<std::uint64_t>(op, asBits(left), asBits(right))));
    return combine<std::int64_t>(op, first, second);
}

class Parser {
  public:
    Parser(std::string_view text, Inspector& inspector) : rest_(text), inspector_(inspector) {}

    Value all() {
        auto value = assignment();
        skip();
        if (!rest_.empty()) fail("what is '{}'?", rest_);
        return value;
    }

  private:
    void skip() {
        while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) rest_.remove_prefix(1);
    }
    bool take(std::string_view token) {
        skip();
        if (!rest_.starts_with(token)) return false;
        rest_.remove_prefix(token.size());
        return true;
    }
    void need(std::string_view token) {
        if (!take(token)) fail("'{}' is missing before '{}'", token, rest_);
    }
    std::string word() {
        std::size_t end = 0;
        while (end < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[end])) || rest_[end] == '_')) ++end;
        const std::string result(rest_.substr(0, end));
        rest_.remove_prefix(end);
        return result;
    }

    Value assignment() {
        auto left = binary(0);
        skip();
        if (rest_.starts_with("=") && !rest_.starts_with("==")) {
            rest_.remove_prefix(1);
            inspector_.assign(left, assignment());
            return left.place ? inspector_.at(*left.type, *left.place) : left;
        }
        return left;
    }
    Value binary(int weakest) {
        if (++depth_ > kDeepest) fail("the expression is nested too deeply");
        auto left = unary();
        for (;;) {
            skip();
            const Operator* found = nullptr;
            for (const auto& each : kOperators)
                if (!found && rest_.starts_with(each.text)) found = &each;
            if (!found || found->strength <= weakest) break;
            rest_.remove_prefix(found->text.size());
            const auto right = binary(found->strength);
            left = moved(found->text, left, right);
        }
        --depth_;
        return left;
    }
    /// A pointer plus a number counts in elements.
    Value moved(std::string_view op, const Value& left, const Value& right) {
        const bool isPointer = left.type && left.type->kind == Type::Kind::pointer && left.type->element;
        if (!isPointer || (op != "+" && op != "-")) return valueOf(combine(op, scalarOf(left), scalarOf(right)));
        const auto bytes = asBits(scalarOf(right)) * left.type->element->size;
        const auto from = bitsOf(left.data, 0, 64);
        auto result = left;
        result.data = bytesFor(*left.type, Scalar(op == "+" ? from + bytes : from - bytes));
        result.place.reset();
        return result;
    }

    Value unary() {
        skip();
        if (++depth_ > kDeepest) fail("the expression is nested too deeply");
        auto value = unaryBody();
        --depth_;
        return value;
    }
    Value unaryBody() {
        if (take("-")) return negated(scalarOf(unary()));
        if (take("!")) return valueOf(std::int64_t{!isTrue(scalarOf(unary()))});
        if (take("~")) return valueOf(~asBits(scalarOf(unary())));
        if (take("*")) return inspector_.target(unary());
        if (take("&")) return inspector_.addressOf(unary());
        return postfix(primary());
    }
    static Value negated(const Scalar& scalar) {
        if (const auto* real = std::get_if<double>(&scalar)) return valueOf(-*real);
        return valueOf(static_cast<std::int64_t>(0 - asBits(scalar)));
    }
    Value postfix(Value value) {
        for (;;) {
            if (take("[")) {
                const auto index = static_cast<std::int64_t>(asBits(scalarOf(assignment())));
                need("]");
                value = inspector_.element(value, index);
            } else if (take("->")) {
                value = inspector_.member(inspector_.target(value), word());
            } else if (take(".")) {
                value = inspector_.member(value, word());
            } else {
                return value;
            }
        }
    }
    Value primary() {
        skip();
        if (take("(")) {
            auto value = assignment();
            need(")");
            return value;
        }
        if (take("$")) return inspector_.special(word());
        if (!rest_.empty() && (std::isdigit(static_cast<unsigned char>(rest_.front())) || rest_.front() == '.'))
            return number();
        const auto name = word();
        if (name.empty()) fail("an expression is missing{}", rest_.empty() ? "" : fmt::format(" before '{}'", rest_));
        return inspector_.named(name);
    }
    Value number() {
        const bool isHex = rest_.starts_with("0x") || rest_.starts_with("0X");
        std::size_t end = 0;
        bool isReal = false;
        const auto isExponent = [&] {
            return !isHex && end > 0 && (rest_[end - 1] == 'e' || rest_[end - 1] == 'E') &&
                   (rest_[end] == '-' || rest_[end] == '+');
        };
        while (end < rest_.size() &&
               (std::isalnum(static_cast<unsigned char>(rest_[end])) || rest_[end] == '.' || isExponent())) {
            isReal |= !isHex && (rest_[end] == '.' || rest_[end] == 'e' || rest_[end] == 'E');
            ++end;
        }
        const std::string text(rest_.substr(0, end));
        rest_.remove_prefix(end);
        char* stopped = nullptr;
        if (isReal) {
            const double value = std::strtod(text.c_str(), &stopped);
            if (*stopped == '\0' || std::string_view(stopped) == "f") return valueOf(value);
        } else if (const auto value = numberFrom(text)) {
            return *value <= INT64_MAX ? valueOf(static_cast<std::int64_t>(*value)) : valueOf(*value);
        }
        fail("{}: no number", text);
    }

    std::string_view rest_;
    Inspector& inspector_;
    int depth_ = 0;
};

}  // namespace

Value evaluateExpression(std::string_view text, Inspector& inspector) { return Parser(text, inspector).all(); }

}  // namespace zetl::debugger
