#include "expressions.h"

#include <fmt/format.h>

#include <algorithm>

#include "operations.h"

namespace zetl::random_kernels {
namespace {

/// A conversion's name and options. The translator to SPIR-V decorates another number than the conversion's where a
/// loop carries its result, and saturation and rounding are lost: something is always done with the result.
std::string converted(Type type, const std::string& options, const std::string& value) {
    const std::string text = fmt::format("convert_{}{}({})", type.name(), options, value);
    if (options.empty()) return text;
    return fmt::format("({})({} {} ({})1)", type.name(), text, type.isReal() ? "+" : "^", type.name());
}

}  // namespace

Type Expressions::anyType(bool vectors) {
    // Wide ones are rare: their compilation costs as many times more.
    constexpr int kWidths[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 4, 8, 16};
    const auto base = static_cast<Base>(chance_.below(kBases));
    return {base, vectors ? chance_.of(kWidths) : 1};
}

std::string Expressions::scalarLiteral(Base base) {
    const Type type{base, 1};
    if (chance_.oneIn(3)) return fmt::format("(({}){})", type.name(), chance_.of(edges(base)));
    if (type.isReal()) return fmt::format("(({}){}.{}f)", type.name(), chance_.between(-99, 99), chance_.below(4) * 25);
    return fmt::format("(({}){})", type.name(), chance_.between(type.isSigned() ? -20 : 0, 200));
}

std::string Expressions::literal(Type type) {
    if (!type.isVector() || chance_.oneIn(3)) return fmt::format("(({}){})", type.name(), scalarLiteral(type.base));
    std::string text = fmt::format("(({})(", type.name());
    for (int i = 0; i < type.width; ++i) text += (i == 0 ? "" : ", ") + scalarLiteral(type.base);
    return text + "))";
}

std::string Expressions::leaf(Type type) {
    std::vector<std::string> candidates;
    constexpr const char* kComponents = "0123456789abcdef";
    for (const Variable& variable : scope_.variables) {
        if (variable.type == type) candidates.push_back(variable.name);
        if (variable.type.base != type.base || variable.type.width <= type.width) continue;
        std::string swizzle;
        for (int i = 0; i < type.width; ++i) swizzle += kComponents[chance_.below(variable.type.width)];
        candidates.push_back(variable.name + ".s" + swizzle);
    }
    if (!candidates.empty() && !chance_.oneIn(8)) return chance_.of(candidates);
    if (chance_.oneIn(4)) return literal(type);
    if (type.isVector()) {
        const std::string part = leaf(type.scalar());
        return fmt::format("(({})({}) {} {})", type.name(), part, type.isReal() ? "+" : "^", literal(type));
    }
    // A variable of another type
    const Variable& variable = chance_.of(scope_.variables);
    const std::string value = variable.name + (variable.type.isVector() ? ".s0" : "");
    return converted(type, variable.type.isReal() && !type.isReal() ? "_sat" : "", value);
}

std::string Expressions::filled(const char* pattern, Type type, int depth) {
    std::string text;
    for (const char* at = pattern; *at != 0; ++at) {
        if (*at != '$') {
            text += *at;
            continue;
        }
        switch (*++at) {
            case 'T':
                text += type.name();
                break;
            case 'U':
                text += type.asUnsigned().name();
                break;
            case 'S':
                text += type.asSigned().name();
                break;
            case 'I':
                text += Type{Base::int32, type.width}.name();
                break;
            case 'M':
                text += std::to_string(type.bits() - 1);
                break;
            case 'X':
                text += fmt::format("{:#x}ul", (1ull << (type.bits() - 1)) - 1);
                break;
            case 'i':
                text += make({Base::int32, type.width}, depth - 1);
                break;
            case 's':
                text += operand(type.asSigned(), depth - 1);
                break;
            default:
                text += operand(type, depth - 1);
        }
    }
    return "(" + text + ")";
}

std::string Expressions::operation(Type type, int depth) {
    for (;;) {
        const Operation& row = chance_.of(kOperations);
        if ((row.types & kindOf(type)) != 0) return filled(row.pattern, type, depth);
    }
}

std::string Expressions::conversion(Type type, int depth) {
    constexpr const char* kRoundings[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
    const Type from = type.of(static_cast<Base>(chance_.below(kBases)));
    std::string options;
    if (!type.isReal() && (from.isReal() || chance_.oneIn(2))) options = "_sat";
    if (type.isReal() != from.isReal() || (type.isReal() && type.bits() < from.bits()))
        options += chance_.of(kRoundings);
    // Of a double constant beyond the type the compiler makes nothing at all.
    if (options == "_sat_rte" && from.base == Base::float64) options = "_sat";
    const std::string value = make(from, depth - 1);
    // Of a vector that all work-items share it converts the first element alone, without optimization.
    const bool isShared = type.isVector() && type.isReal();
    return converted(type, options, isShared ? fmt::format("own({})", value) : value);
}

std::string Expressions::reinterpretation(Type type, int depth) {
    const auto total = [](Type t) { return t.bits() * static_cast<std::uint32_t>(t.width); };
    std::vector<Type> candidates;
    for (int base = 0; base < kBases; ++base)
        for (const int width : {1, 2, 4, 8})
            if (const Type from{static_cast<Base>(base), width}; total(from) == total(type)) candidates.push_back(from);
    if (candidates.empty() || type.width == 3) return conversion(type, depth);
    const Type from = chance_.of(candidates);
    const std::string value = make(from, depth - 1);
    const std::string text = from.isReal() ? fmt::format("as_{}(number({}))", type.name(), value)
                                           : fmt::format("as_{}({})", type.name(), value);
    return type.isReal() ? "number(" + text + ")" : text;
}

std::string Expressions::comparison(Type type, int depth) {
    constexpr const char* kOperators[] = {"<", "<=", ">", ">=", "==", "!="};
    std::vector<Type> candidates;
    for (int base = 0; base < kBases; ++base)
        if (const Type from = type.of(static_cast<Base>(base)); from.bits() == type.bits()) candidates.push_back(from);
    const Type from = chance_.of(candidates);
    // The compiler makes x < b - a of x + a < b, which overflows and rounds elsewhere, also where it sees that x is a
    // number: no bare sum is compared.
    const char* pattern = from.isReal() ? "(fabs(number({})) {} number({}))" : "({} {} {})";
    const std::string text =
        fmt::format(fmt::runtime(pattern), make(from, depth - 1), chance_.of(kOperators), make(from, depth - 1));
    return type.isVector() && type.isSigned() ? text : fmt::format("convert_{}({})", type.name(), text);
}

std::string Expressions::choice(Type type, int depth) {
    const std::string first = make(type, depth - 1);
    const std::string second = make(type, depth - 1);
    if (!type.isVector()) return fmt::format("(({})({} ? {} : {}))", type.name(), condition(depth - 1), first, second);
    return fmt::format("select({}, {}, {})", first, second, make(type.asSigned(), depth - 1));
}

/// A vector from parts, or parts of a vector.
std::string Expressions::gathered(Type type, int depth) {
    if (type.width == 2 || type.width == 4 || type.width == 8) {
        const std::string half = make({type.base, type.width / 2}, depth - 1);
        const std::string other = make({type.base, type.width / 2}, depth - 1);
        if (chance_.oneIn(2)) return fmt::format("(({})({}, {}))", type.name(), half, other);
        constexpr const char* kHalves[] = {"lo", "hi", "even", "odd"};
        return fmt::format("({}.{})", make({type.base, type.width * 2}, depth - 1), chance_.of(kHalves));
    }
    if (type.isVector()) return operation(type, depth);
    constexpr int kWidths[] = {2, 3, 4, 8};
    const int width = chance_.of(kWidths);
    return fmt::format("({}.s{})", make({type.base, width}, depth - 1), chance_.below(width));
}

std::string Expressions::element(Type type, int depth) {
    std::vector<std::string> candidates;
    if (type == kUint) candidates.push_back("kTable[{} & 15]");
    for (const Array& array : scope_.arrays)
        if (array.type == type) candidates.push_back(fmt::format("{}[{{}} & {}]", array.name, array.count - 1));
    if (candidates.empty()) return choice(type, depth);
    return fmt::format(fmt::runtime(chance_.of(candidates)), make(kInt, depth - 1));
}

std::string Expressions::called(Type type, int depth) {
    std::vector<const Function*> candidates;
    for (const Function& function : scope_.functions)
        if (function.result == type) candidates.push_back(&function);
    if (candidates.empty()) return operation(type, depth);
    const Function& function = *chance_.of(candidates);
    std::string text = function.name + "(";
    for (std::size_t i = 0; i < function.parameters.size(); ++i)
        text += (i == 0 ? "" : ", ") + make(function.parameters[i], depth - 1);
    return text + ")";
}

std::string Expressions::condition(int depth) {
    if (depth <= 0 || !chance_.oneIn(3)) return comparison(kInt, std::max(depth, 1));
    constexpr const char* kJoints[] = {"&&", "||"};
    if (chance_.oneIn(2))
        return fmt::format("({} {} {})", condition(depth - 1), chance_.of(kJoints), condition(depth - 1));
    return fmt::format("{}({})", chance_.oneIn(2) ? "any" : "all", make({Base::int32, 4}, depth - 1));
}

/// What stands for an expression that is left out.
std::string Expressions::plainest(Type type) const {
    for (const Variable& variable : scope_.variables)
        if (variable.type == type) return variable.name;
    return fmt::format("(({})1)", type.name());
}

std::string Expressions::operand(Type type, int depth) {
    const std::string text = make(type, depth);
    return type.isVector() ? fmt::format("OPERAND({})", text) : text;
}

std::string Expressions::make(Type type, int depth) {
    const bool omitted = numbering_.omitsExpression();
    const std::string text = compound(type, depth);
    return omitted ? plainest(type) : text;
}

std::string Expressions::compound(Type type, int depth) {
    if (depth <= 0 || numbering_.expressions() > kMostExpressions) return leaf(type);
    using Maker = std::string (Expressions::*)(Type, int);
    constexpr Maker kMakers[] = {&Expressions::operation, &Expressions::operation,  &Expressions::operation,
                                 &Expressions::operation, &Expressions::conversion, &Expressions::reinterpretation,
                                 &Expressions::choice,    &Expressions::gathered,   &Expressions::element,
                                 &Expressions::called};
    if (chance_.oneIn(5)) return leaf(type);
    if (chance_.oneIn(10) && !type.isReal()) return comparison(type, depth);
    return (this->*chance_.of(kMakers))(type, depth);
}

}  // namespace zetl::random_kernels
