// Math of half by that of float: NVIDIA's libclc has none.
#include <algorithm>
#include <array>

#include "compiler/ptx/builtins.h"

namespace zetl::compiler {
namespace {

constexpr std::string_view kHalf = "half";
constexpr std::string_view kMangledHalf = "Dh";

/// Neighbours of a half are no neighbours of a float.
constexpr std::array<std::string_view, 1> kOfHalfAlone{"nextafter"};

bool isHalf(const std::string& type) { return type == kHalf || (type.starts_with("<") && type.ends_with(" x half>")); }

std::string floatFor(std::string type) {
    if (isHalf(type)) type.replace(type.size() - kHalf.size() - (type.ends_with(">") ? 1 : 0), kHalf.size(), "float");
    return type;
}

}  // namespace

std::optional<std::string> byFloat(const Declaration& declaration, Declaration& needed) {
    const auto mangled = declaration.mangledTypes();
    const auto isPointer = [](const std::string& type) { return type.find_first_of("*p") != std::string::npos; };
    if (declaration.result == "void" || mangled.find(kMangledHalf) == std::string_view::npos ||
        std::ranges::any_of(declaration.parameters, isPointer) ||
        std::ranges::find(kOfHalfAlone, declaration.name()) != kOfHalfAlone.end())
        return std::nullopt;
    std::string types(mangled);
    for (std::size_t at = 0; (at = types.find(kMangledHalf, at)) != std::string::npos; ++at)
        types.replace(at, kMangledHalf.size(), "f");
    needed = {declaration.symbol.substr(0, declaration.symbol.size() - mangled.size()) + types,
              floatFor(declaration.result),
              {}};
    Body body;
    std::string arguments;
    for (std::size_t i = 0; i < declaration.parameters.size(); ++i) {
        const auto& type = declaration.parameters[i];
        std::string value = "%a" + std::to_string(i);
        needed.parameters.push_back(floatFor(type));
        if (isHalf(type)) value = body.value("fpext {} {} to {}", type, value, needed.parameters[i]);
        arguments += (i ? ", " : "") + needed.parameters[i] + " " + value;
    }
    std::string result = body.value("call {} @{}({})", needed.result, needed.symbol, arguments);
    if (isHalf(declaration.result))
        result = body.value("fptrunc {} {} to {}", needed.result, result, declaration.result);
    body.line("  ret {} {}", declaration.result, result);
    return body.text();
}

}  // namespace zetl::compiler
