#include "compiler/ptx/builtins.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "compiler/ptx/prelude.h"

namespace zetl::compiler {
namespace {

std::string zero(const ValueType& type, bool) { return type.real ? "0.0" : "0"; }
std::string one(const ValueType& type, bool) { return type.real ? "1.0" : "1"; }
std::string ones(const ValueType&, bool) { return "-1"; }

std::string infinity(const ValueType& type, bool negative) {
    if (type.bits == 16) return negative ? "0xHFC00" : "0xH7C00";
    return negative ? "0xFFF0000000000000" : "0x7FF0000000000000";
}
std::string signedEnd(const ValueType& type, bool least) {
    const auto most = (std::uint64_t{1} << (type.bits - 1)) - 1;
    return least ? "-" + std::to_string(most + 1) : std::to_string(most);
}
std::string greatest(const ValueType& type, bool isSigned) {
    return type.real ? infinity(type, false) : isSigned ? signedEnd(type, false) : "-1";
}
std::string least(const ValueType& type, bool isSigned) {
    return type.real ? infinity(type, true) : isSigned ? signedEnd(type, true) : "0";
}

constexpr Combination kCombinations[] = {
    {"_add", "add", "fadd", false, "add", zero},
    {"_sub", "sub", "fsub", false, "sub", zero},
    {"_mul", "mul", "fmul", false, "mul", one},
    {"_and", "and", "", false, "and", ones},
    {"_or", "or", "", false, "or", zero},
    {"_xor", "xor", "", false, "xor", zero},
    {"_min", "icmp slt", "fcmp olt", true, "icmp ult", greatest},
    {"_max", "icmp sgt", "fcmp ogt", true, "icmp ugt", least},
};

const Builtin* builtinOf(const Declaration& declaration) {
    const auto name = declaration.name();
    for (const auto all : {atomicBuiltins(), groupBuiltins(), mathBuiltins()})
        for (const auto& each : all)
            if (each.prefix ? name.starts_with(each.name) : name == each.name) return &each;
    return nullptr;
}

bool isMath(const Builtin& builtin) {
    return std::ranges::any_of(mathBuiltins(), [&](const Builtin& each) { return &each == &builtin; });
}

std::string definition(const Declaration& declaration, const std::string& body) {
    std::string parameters;
    for (std::size_t i = 0; i < declaration.parameters.size(); ++i)
        parameters += fmt::format("{}{} %a{}", i ? ", " : "", declaration.parameters[i], i);
    return fmt::format("define internal {} @{}({}) #9002 {{\n{}}}\n", declaration.result, declaration.symbol,
                       parameters, body);
}

/// The definitions that take the place of declarations.
class Definitions {
  public:
    /// The functions that the module itself names.
    explicit Definitions(std::set<std::string> symbols) : symbols_(std::move(symbols)) {}

    std::optional<std::string> of(const Declaration& declaration) {
        Body body;
        const auto* const builtin = builtinOf(declaration);
        if (builtin && builtin->write(body, declaration)) return definition(declaration, body.text());
        if (builtin && !isMath(*builtin)) return std::nullopt;
        Declaration needed;
        const auto text = byFloat(declaration, needed);
        if (!text) return std::nullopt;
        if (symbols_.insert(needed.symbol).second) more_ += of(needed).value_or(declared(needed));
        return definition(declaration, *text);
    }

    /// What those definitions call and the module does not name.
    const std::string& more() const noexcept { return more_; }

  private:
    static std::string declared(const Declaration& declaration) {
        std::string parameters;
        for (const auto& each : declaration.parameters) parameters += (parameters.empty() ? "" : ", ") + each;
        return fmt::format("declare {} @{}({})\n", declaration.result, declaration.symbol, parameters);
    }

    std::set<std::string> symbols_;
    std::string more_;
};

/// With the pointer types of the module: LLVM 15 and later leave out the type behind a pointer.
std::string preludeFor(std::string_view module, bool hasOffset) {
    const bool typed =
        module.find("addrspace(1)*") != std::string_view::npos || module.find("i8*") != std::string_view::npos;
    std::string text = std::string(kPrelude) + (hasOffset ? kOffsetPrelude : kZeroOffsetPrelude);
    const std::array<std::pair<std::string_view, std::string_view>, 5> names{
        {{"{generic}", typed ? "i8*" : "ptr"},
         {"{offsets}", typed ? "[3 x i32] addrspace(3)*" : "ptr addrspace(3)"},
         {"{offset}", typed ? "i32 addrspace(3)*" : "ptr addrspace(3)"},
         {"{slots}", typed ? "[32 x i64] addrspace(3)*" : "ptr addrspace(3)"},
         {"{slot}", typed ? "i64 addrspace(3)*" : "ptr addrspace(3)"}}};
    for (const auto& [from, to] : names)
        for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
            text.replace(at, from.size(), to);
    return text;
}

}  // namespace

const Combination* combinationAtEnd(std::string_view name) {
    const auto* const found = std::find_if(std::begin(kCombinations), std::end(kCombinations),
                                           [name](const Combination& each) { return name.ends_with(each.name); });
    return found == std::end(kCombinations) ? nullptr : found;
}

std::string combine(Body& body, const Combination& how, const ValueType& type, bool isSigned, const std::string& one,
                    const std::string& other) {
    const auto instruction = type.real ? how.real : isSigned ? how.whole : how.unsignedWhole;
    if (instruction.empty()) return {};
    const auto made = body.value("{} {} {}, {}", instruction, type.text, one, other);
    return how.compares ? body.value("select i1 {}, {} {}, {} {}", made, type.text, one, type.text, other) : made;
}

bool isSigned(char mangled) { return std::string_view("acsilx").find(mangled) != std::string_view::npos; }

std::string withBuiltins(std::string_view module, bool hasOffset) {
    std::set<std::string> symbols;
    eachLine(module, [&](std::string_view line) {
        if (const auto declaration = Declaration::of(line)) symbols.insert(declaration->symbol);
    });
    Definitions definitions(std::move(symbols));
    std::string all;
    bool any = false;
    eachLine(module, [&](std::string_view line) {
        const auto declaration = Declaration::of(line);
        const auto definition = declaration ? definitions.of(*declaration) : std::nullopt;
        any |= definition.has_value();
        all.append(definition ? *definition : std::string(line)).append("\n");
    });
    return any ? all + definitions.more() + preludeFor(module, hasOffset) : all;
}

}  // namespace zetl::compiler
