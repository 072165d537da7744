// Expressions of inspector.h.
#include <algorithm>

#include "core/failure.h"
#include "core/inspector.h"
#include "core/scanner.h"

namespace zetl::debugger {
namespace {

constexpr int kDeepest = 100;
constexpr std::size_t kMostComponents = 16;
constexpr std::size_t kMostArguments = 32;
constexpr std::uint64_t kVectorCounts[] = {2, 3, 4, 8, 16};

struct ScalarName {
    std::string_view name;
    Type type;
};
const ScalarName kScalars[] = {{"char", {Type::Kind::integer, "char", 1, 0, nullptr, {}, {}}},
                               {"uchar", {Type::Kind::natural, "uchar", 1, 0, nullptr, {}, {}}},
                               {"short", {Type::Kind::integer, "short", 2, 0, nullptr, {}, {}}},
                               {"ushort", {Type::Kind::natural, "ushort", 2, 0, nullptr, {}, {}}},
                               {"int", {Type::Kind::integer, "int", 4, 0, nullptr, {}, {}}},
                               {"uint", {Type::Kind::natural, "uint", 4, 0, nullptr, {}, {}}},
                               {"unsigned", {Type::Kind::natural, "unsigned int", 4, 0, nullptr, {}, {}}},
                               {"long", {Type::Kind::integer, "long", 8, 0, nullptr, {}, {}}},
                               {"ulong", {Type::Kind::natural, "ulong", 8, 0, nullptr, {}, {}}},
                               {"size_t", {Type::Kind::natural, "size_t", 8, 0, nullptr, {}, {}}},
                               {"half", {Type::Kind::floating, "half", 2, 0, nullptr, {}, {}}},
                               {"float", {Type::Kind::floating, "float", 4, 0, nullptr, {}, {}}},
                               {"double", {Type::Kind::floating, "double", 8, 0, nullptr, {}, {}}},
                               {"void", {Type::Kind::nothing, "void", 0, 0, nullptr, {}, {}}}};
constexpr std::string_view kQualifiers[] = {"global", "constant", "private", "const", "volatile"};

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
    if (op == "/" && right == 0 && !std::is_same_v<T, double>)
        fail("division by zero in the expression; change the divisor");
    if (op == "/") return T(left / right);
    if constexpr (!std::is_same_v<T, double>) {
        if (op == "%" && right == 0) fail("division by zero in the expression; change the divisor");
        if (op == "%") return T(left % right);
        if (op == "|") return T(left | right);
        if (op == "^") return T(left ^ right);
        if (op == "&") return T(left & right);
        if (op == "<<") return T(right >= 0 && right < 64 ? static_cast<std::uint64_t>(left) << right : 0);
        if (op == ">>") return T(right >= 0 && right < 64 ? left >> right : 0);
    }
    fail("{} cannot be applied to these values; it takes whole numbers", op);
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

class Parser : Scanner {
  public:
    Parser(std::string_view text, Inspector& inspector) : Scanner(text, kDeepest), inspector_(inspector) {}

    std::shared_ptr<const Type> typeAlone() {
        const auto named = typeName();
        skip();
        return named && rest_.empty() ? named->type : nullptr;
    }

    Value all() {
        auto value = assignment();
        skip();
        if (!rest_.empty())
            fail("unexpected '{}' behind an expression; leave it out, or put an operator before it", rest_);
        return value;
    }

  private:
    Value assignment() {
        auto left = binary(0);
        skip();
        if (rest_.starts_with("=") && !rest_.starts_with("==")) {
            rest_.remove_prefix(1);
            deeper();
            inspector_.assign(left, assignment());
            shallower();
            const auto made = std::move(left.made);
            left = inspector_.at(*left.type, *left.place);
            left.made = made;
        }
        return left;
    }
    Value binary(int weakest) {
        deeper();
        auto left = unary();
        while (const Operator* const found = takeOperator(weakest)) {
            if (decides(found->text, left)) {
                skipOperand(found->strength);
                left = valueOf(std::int64_t{found->text == "||"});
                continue;
            }
            const auto right = binary(found->strength);
            left = moved(found->text, left, right);
        }
        shallower();
        return left;
    }
    /// Whether && or || needs no second operand: it may be one that cannot be read then.
    static bool decides(std::string_view op, const Value& left) {
        return (op == "&&" && !isTrue(scalarOf(left))) || (op == "||" && isTrue(scalarOf(left)));
    }
    /// Passes text up to the next operator that binds no more tightly, or the end of what is in parentheses.
    void skipOperand(int strength) {
        skip();
        const auto before = rest_;
        for (int depth = 0; !rest_.empty();) {
            const char next = rest_.front();
            const bool closes = next == ')' || next == ']';
            if (depth == 0 && (closes || next == ',')) break;
            depth += next == '(' || next == '[' ? 1 : closes ? -1 : 0;
            const Operator* const found = depth == 0 ? operatorAt(rest_) : nullptr;
            if (found && found->strength <= strength) break;
            rest_.remove_prefix(found ? found->text.size() : 1);
        }
        if (rest_.size() == before.size())
            fail("an expression is missing before '{}'; put a number or a name there", rest_);
    }
    /// An array in memory as a pointer to its first element.
    Value decayed(const Value& value) const {
        const bool isArray = value.type && value.type->kind == Type::Kind::array && !value.type->isVector;
        return isArray && value.place ? inspector_.addressOf(inspector_.element(value, 0)) : value;
    }
    /// A pointer plus a number counts elements; a pointer to void counts bytes.
    Value moved(std::string_view op, const Value& whole, const Value& right) {
        if (op == "@") return inspector_.repeated(whole, asBits(scalarOf(right)));
        const auto left = decayed(whole);
        const bool isPointer = left.type && left.type->kind == Type::Kind::pointer;
        const bool toPointer = right.type && right.type->kind == Type::Kind::pointer;
        if (!isPointer || toPointer || (op != "+" && op != "-"))
            return valueOf(combine(op, scalarOf(left), scalarOf(right)));
        const auto bytes = asBits(scalarOf(right)) * (left.type->element ? left.type->element->size : 1);
        const auto from = bitsOf(left.data, 0, 64);
        auto result = left;
        result.data = bytesFor(*left.type, Scalar(op == "+" ? from + bytes : from - bytes));
        result.place.reset();
        return result;
    }

    Value unary() {
        skip();
        deeper();
        auto value = unaryBody();
        shallower();
        return value;
    }
    Value unaryBody() {
        if (take("-")) return negated(scalarOf(unary()));
        if (take("!")) return valueOf(std::int64_t{!isTrue(scalarOf(unary()))});
        if (take("~")) return valueOf(~asBits(scalarOf(unary())));
        if (take("*")) return inspector_.target(decayed(unary()));
        if (take("&")) return inspector_.addressOf(unary());
        if (takeWord("sizeof")) return size();
        if (rest_.starts_with("offsetof") && takeWord("offsetof")) return offset();
        if (rest_.starts_with('(')) {
            if (auto cast = typeInParentheses()) return converted(*cast, cast->type->isVector ? operand() : unary());
        }
        return postfix(primary());
    }
    bool takeWord(std::string_view wanted) {
        const auto before = rest_;
        if (word() == wanted) return true;
        rest_ = before;
        return false;
    }
    Value size() {
        skip();
        auto named = rest_.starts_with('(') ? typeInParentheses() : std::nullopt;
        const auto value = named ? Value{} : unary();
        const auto* type = named ? named->type.get() : value.type;
        return valueOf(Scalar(type ? type->size : 0));
    }

    /// "(TYPE, member.member[2])".
    Value offset() {
        need("(");
        const auto named = typeName();
        if (!named) fail("offsetof needs a type before '{}'", rest_);
        need(",");
        const Type* type = named->type.get();
        std::uint64_t bytes = 0;
        bool isFirst = true;
        for (; !take(")"); isFirst = false) {
            skip();
            if (!isFirst && take("[")) {
                const auto index = asBits(scalarOf(assignment()));
                need("]");
                if (!type || type->kind != Type::Kind::array || !type->element)
                    fail("{} has no elements; ptype shows what a type has", nameOf(type));
                type = type->element;
                bytes += index * type->size;
                continue;
            }
            if (!isFirst) need(".");
            const auto name = word();
            const auto& members = type ? type->members : std::vector<Member>{};
            const auto found = std::ranges::find(members, name, &Member::name);
            if (found == members.end()) fail("{} has no member {}; ptype shows what a type has", nameOf(type), name);
            bytes += found->offset;
            type = found->type;
        }
        return valueOf(Scalar(bytes));
    }
    /// What a vector is made of: "(1, 2, v.xy)", or any other operand.
    Value operand() {
        skip();
        if (!rest_.starts_with('(')) return unary();
        const auto before = rest_;
        need("(");
        auto first = assignment();
        skip();
        if (!rest_.starts_with(',')) {
            rest_ = before;
            return unary();
        }
        auto parts = componentsOf(first);
        while (take(",")) {
            const auto more = componentsOf(assignment());
            parts.insert(parts.end(), more.begin(), more.end());
            if (parts.size() > kMostComponents)
                fail("a vector has at most {} components; leave some out", kMostComponents);
        }
        need(")");
        auto type = vectorOf(types::kReal, parts.size(), nullptr);
        Value all{type.get(), {}, std::nullopt, false, "", type};
        for (const auto& each : parts) {
            const auto bytes = bytesFor(types::kReal, scalarOf(each));
            all.data.insert(all.data.end(), bytes.begin(), bytes.end());
        }
        all.data.resize(type->size);
        return all;
    }

    struct NamedType {
        std::shared_ptr<const Type> type;
        bool isLocal = false;  ///< points into the work-group's memory
    };
    /// "(global float *)". Returns nothing, and consumes nothing, if there is no type.
    std::optional<NamedType> typeInParentheses() {
        const auto before = rest_;
        auto named = take("(") ? typeName() : std::nullopt;
        if (named && take(")")) return named;
        rest_ = before;
        return std::nullopt;
    }
    std::optional<NamedType> typeName() {
        NamedType result;
        const Type* found = nullptr;
        std::shared_ptr<const Type> made;
        for (;;) {
            skip();
            const auto before = rest_;
            const auto next = word();
            const auto scalar = std::ranges::find(kScalars, next, &ScalarName::name);
            const bool completes = scalar != std::end(kScalars) && (!found || found->name == "unsigned int");
            auto other = found || completes ? nullptr : otherType(next);
            if (other) {
                made = std::move(other);
                found = made.get();
            } else if (next == "local") {
                result.isLocal = true;
            } else if (completes) {
                found = found ? unsignedOf(scalar->name) : &scalar->type;
            } else if (std::ranges::find(kQualifiers, next) == std::end(kQualifiers)) {
                rest_ = before;
                break;
            }
        }
        if (!found) return std::nullopt;
        result.type = made ? made : std::shared_ptr<const Type>(std::shared_ptr<const Type>(), found);
        for (int pointers = 0; take("*"); ++pointers) {
            if (pointers == kDeepest) fail("the pointer type is nested too deeply");
            result.type = pointerTo(result.type.get(), result.type);
        }
        return result;
    }
    /// A vector type, or one of the program that no variable hides: "struct pair" and "pair".
    std::shared_ptr<const Type> otherType(const std::string& word) {
        if (word.empty()) return nullptr;
        constexpr std::string_view kKinds[] = {"struct", "union", "enum"};
        if (std::ranges::find(kKinds, word) != std::end(kKinds)) {
            const auto name = this->word();
            const auto* const type = inspector_.typeNamed(name);
            if (!type) fail("there is no {} {} here; whatis VARIABLE shows the names of types", word, name);
            return {std::shared_ptr<const Type>(), type};
        }
        const auto digits = std::min(word.find_last_not_of("0123456789") + 1, word.size());
        const auto scalar = std::ranges::find(kScalars, std::string_view(word).substr(0, digits), &ScalarName::name);
        const auto count = numberFrom(std::string_view(word).substr(digits));
        const bool isVector = scalar != std::end(kScalars) && scalar->type.size > 0 && count &&
                              std::ranges::find(kVectorCounts, *count) != std::end(kVectorCounts);
        if (isVector) return vectorOf(scalar->type, *count, nullptr);
        const auto* const type = inspector_.hasVariable(word) ? nullptr : inspector_.typeNamed(word);
        return {std::shared_ptr<const Type>(), type};
    }
    static const Type* unsignedOf(std::string_view name) {
        const auto scalar = std::ranges::find(kScalars, "u" + std::string(name), &ScalarName::name);
        return scalar == std::end(kScalars) ? nullptr : &scalar->type;
    }
    static Value converted(const NamedType& to, const Value& value) {
        const bool leadsToLocal = to.isLocal || value.leadsToLocal;
        return {to.type.get(), bytesAs(*to.type, value), std::nullopt, leadsToLocal, "", to.type};
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
        if (take("$")) return behindDollar();
        if (isAtNumber()) return valueOf(number());
        const auto name = word();
        if (name.empty())
            fail("an expression is missing{}; type a variable, $register or number",
                 rest_.empty() ? "" : fmt::format(" before '{}'", rest_));
        skip();
        return rest_.starts_with('(') && !inspector_.hasVariable(name) ? called(name) : inspector_.named(name);
    }
    /// "(1, x[i])" behind the name of a function.
    Value called(const std::string& function) {
        need("(");
        std::vector<Value> arguments;
        while (!take(")")) {
            if (!arguments.empty()) need(",");
            if (arguments.size() == kMostArguments)
                fail("a call has at most {} arguments; leave some out", kMostArguments);
            arguments.push_back(decayed(assignment()));
        }
        return inspector_.called(function, arguments);
    }
    /// "$r0", or of the history: "$7", "$", "$$", "$$3".
    Value behindDollar() {
        const bool isBefore = rest_.starts_with('$');
        if (isBefore) rest_.remove_prefix(1);
        const auto name = isAtName() ? word() : "";
        const auto number = numberFrom(name);
        if (isBefore && (number || name.empty())) return inspector_.history().before(number.value_or(1));
        if (name.empty()) return inspector_.history().before(0);
        return number && !isBefore ? inspector_.history().at(*number) : inspector_.special(name);
    }

    Inspector& inspector_;
};

}  // namespace

std::shared_ptr<const Type> typeFrom(std::string_view text, Inspector& inspector) {
    return Parser(text, inspector).typeAlone();
}

Value evaluateExpression(std::string_view text, Inspector& inspector) { return Parser(text, inspector).all(); }

}  // namespace zetl::debugger
