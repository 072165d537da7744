#include "recording/functions.h"

#include <algorithm>
#include <iterator>

namespace zetl::command {
namespace {

/// Cuts the first word off `text`.
std::string_view takeWord(std::string_view& text) {
    const auto end = text.find(' ');
    const auto word = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    return word;
}

Function read(const FunctionRow& row) {
    Function function;
    function.returnsValue = row.name.ends_with('=');
    function.isProbe = row.name.ends_with('?');
    function.name = row.name.substr(0, row.name.size() - (function.returnsValue || function.isProbe ? 1 : 0));
    for (auto rest = row.arguments; !rest.empty();) {
        const auto word = takeWord(rest);
        const Argument argument{word.substr(0, word.size() - 2), Kind(word.back())};
        function.words = static_cast<std::uint16_t>(function.words + wordsOf(argument.kind));
        function.pointsTo = function.pointsTo || isPointedTo(argument.kind);
        function.arguments.push_back(argument);
    }
    return function;
}

}  // namespace

bool Function::isError(std::uint64_t result) const noexcept {
    constexpr std::uint32_t kSuccess = 0;
    constexpr std::uint32_t kNotReady = 1;
    const auto code = static_cast<std::uint32_t>(result);
    return !returnsValue && !isProbe && code != kSuccess && code != kNotReady;
}

std::span<const Function> functions() {
    static const Function* const all = [] {
        auto* list = new Function[kFunctions];
        std::transform(std::begin(kFunctionRows), std::end(kFunctionRows), list, read);
        return list;
    }();
    return {all, kFunctions};
}

}  // namespace zetl::command
