#include "metrics/calculation/equation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace zetl::metrics {
namespace {

constexpr std::size_t kBuckets = 256;
constexpr std::size_t kDeepest = 64;

struct OperatorWord {
    std::string_view text;
    Operator op;
};
constexpr OperatorWord kWords[] = {
    {"UADD", Operator::uadd},      {"USUB", Operator::usub},        {"UMUL", Operator::umul},
    {"UDIV", Operator::udiv},      {"UMIN", Operator::umin},        {"UMAX", Operator::umax},
    {"FADD", Operator::fadd},      {"FSUB", Operator::fsub},        {"FMUL", Operator::fmul},
    {"FDIV", Operator::fdiv},      {"FMIN", Operator::fmin},        {"FMAX", Operator::fmax},
    {"AND", Operator::bitAnd},     {"OR", Operator::bitOr},         {"XOR", Operator::bitXor},
    {"<<", Operator::shiftLeft},   {">>", Operator::shiftRight},    {"==", Operator::equal},
    {"!=", Operator::notEqual},    {"<", Operator::less},           {">", Operator::greater},
    {"<=", Operator::lessOrEqual}, {">=", Operator::greaterOrEqual}};

bool isReal(Operator op) { return op >= Operator::fadd && op <= Operator::fmax; }

/// Calls `take` with each word.
template <class F>
void forEachWord(std::string_view text, F&& take) {
    constexpr std::string_view kBlanks = " \t\n";
    for (auto begin = text.find_first_not_of(kBlanks); begin != text.npos;
         begin = text.find_first_not_of(kBlanks, begin)) {
        const auto end = std::min(text.find_first_of(kBlanks, begin), text.size());
        take(text.substr(begin, end - begin));
        begin = end;
    }
}

template <class T>
std::optional<T> numberFrom(std::string_view digits, auto... format) {
    T value{};
    const auto* const last = digits.data() + digits.size();
    const auto [end, failure] = std::from_chars(digits.data(), last, value, format...);
    return failure == std::errc() && end == last ? std::optional(value) : std::nullopt;
}

std::optional<Node> constantFrom(std::string_view word) {
    const bool hexadecimal = word.starts_with("0x");
    if (const auto whole = numberFrom<std::uint64_t>(hexadecimal ? word.substr(2) : word, hexadecimal ? 16 : 10))
        return Node{.op = Operator::constant, .real = false, .number = *whole};
    if (const auto real = numberFrom<float>(word, std::chars_format::general); real && std::isfinite(*real))
        return Node{.op = Operator::constant, .real = true, .number = std::bit_cast<std::uint32_t>(*real)};
    return std::nullopt;
}

std::size_t bucketOf(const Node& node) {
    auto key = node.number ^ (std::uint64_t{node.left} << 32 | node.right);
    key = (key ^ static_cast<std::uint64_t>(node.op) << 17) * 0x9e3779b97f4a7c15u;
    return key >> 56;
}

}  // namespace

std::uint32_t Program::add(const Node& node) {
    buckets_.resize(kBuckets);
    auto& bucket = buckets_[bucketOf(node)];
    for (const auto index : bucket)
        if (nodes_[index] == node) return index;
    if (nodes_.size() >= kMostNodes) throw DescriptionError("the equations need too many values");
    nodes_.push_back(node);
    bucket.push_back(static_cast<std::uint32_t>(nodes_.size() - 1));
    return bucket.back();
}

std::uint32_t Program::as(bool real, std::uint32_t node) {
    if (nodes_[node].real == real) return node;
    return add(Node{.op = real ? Operator::toReal : Operator::toWhole, .real = real, .left = node});
}

std::uint32_t Program::apply(Operator op, std::uint32_t left, std::uint32_t right) {
    const bool real = isReal(op);
    left = as(real, left);
    right = as(real, right);
    return add(Node{.op = op, .real = real, .left = left, .right = right});
}

std::uint32_t Program::add(std::string_view equation, const Names& names) {
    std::vector<std::uint32_t> stack;
    const auto named = [&](const auto& find, std::string_view name) {
        const auto node = find(name);
        if (!node) throw DescriptionError(fmt::format("equation \"{}\": {} is not known", equation, name));
        stack.push_back(*node);
    };
    forEachWord(equation, [&](std::string_view word) {
        if (stack.size() >= kDeepest) throw DescriptionError(fmt::format("equation \"{}\" is too deep", equation));
        if (word.starts_with("$$")) return named(names.column, word.substr(2));
        if (word.starts_with("$")) return named(names.operand, word.substr(1));
        const auto* const found = std::ranges::find(kWords, word, &OperatorWord::text);
        if (found == std::end(kWords)) {
            const auto constant = constantFrom(word);
            if (!constant)
                throw DescriptionError(fmt::format("equation \"{}\": {} is no operator and no number", equation, word));
            return stack.push_back(add(*constant));
        }
        if (stack.size() < 2)
            throw DescriptionError(fmt::format("equation \"{}\": {} lacks an operand", equation, word));
        const auto right = stack.back();
        stack.pop_back();
        stack.back() = apply(found->op, stack.back(), right);
    });
    if (stack.size() != 1)
        throw DescriptionError(fmt::format("equation \"{}\" leaves {} values", equation, stack.size()));
    return stack.front();
}

std::vector<std::string> operandsOf(std::string_view equation) {
    std::vector<std::string> names;
    forEachWord(equation, [&](std::string_view word) {
        if (!word.starts_with("$") || word.starts_with("$$")) return;
        const std::string name(word.substr(1));
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    });
    return names;
}

}  // namespace zetl::metrics
