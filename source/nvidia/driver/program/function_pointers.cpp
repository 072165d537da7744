#include "nvidia/driver/program/function_pointers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace zetl::nvidia {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// The position behind text in brackets; `at` if there is none.
std::size_t behindBrackets(std::string_view text, std::size_t at) {
    if (at >= text.size() || text[at] != '(') return at;
    const auto end = text.find(')', at);
    return end == std::string_view::npos ? text.size() : text.find_first_not_of(kSpace, end + 1);
}

/// ".visible .func (.param .b32 result) name(...)", declared or defined.
std::set<std::string, std::less<>> functionsIn(std::string_view ptx) {
    constexpr std::string_view kVisible = ".visible";
    constexpr std::string_view kFunction = ".func";
    std::set<std::string, std::less<>> names;
    for (std::size_t at = 0; (at = ptx.find(kVisible, at)) != std::string_view::npos;) {
        at = ptx.find_first_not_of(kSpace, at + kVisible.size());
        if (at == std::string_view::npos || !ptx.substr(at).starts_with(kFunction)) continue;
        at = behindBrackets(ptx, ptx.find_first_not_of(kSpace, at + kFunction.size()));
        if (at >= ptx.size()) break;
        const auto end = std::min(ptx.find_first_of(" \t\r\n(;{", at), ptx.size());
        if (end > at) names.emplace(ptx.substr(at, end - at));
    }
    return names;
}

}  // namespace

std::string pointerTo(std::string_view function) { return fmt::format("zetl_pointer_to_{}", function); }

std::string withFunctionPointers(std::string_view ptx) {
    std::string text(ptx);
    for (const auto& name : functionsIn(ptx))
        text += fmt::format("\n.visible .global .align 8 .u64 {} = {};\n", pointerTo(name), name);
    return text;
}

}  // namespace zetl::nvidia
