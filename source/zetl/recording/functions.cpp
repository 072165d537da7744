#include "recording/functions.h"

#include <algorithm>
#include <iterator>

namespace zetl::command {
namespace {

Function read(const FunctionRow& row) {
    Function function{factsOf(row), row.name, {}};
    if (function.returnsValue || function.isProbe) function.name.remove_suffix(1);
    eachArgument(row.arguments, [&](std::string_view name, Kind kind) { function.arguments.push_back({name, kind}); });
    return function;
}

}  // namespace

std::span<const Function> functions() {
    static const Function* const all = [] {
        auto* list = new Function[kFunctions];
        std::transform(std::begin(kFunctionRows), std::end(kFunctionRows), list, read);
        return list;
    }();
    return {all, kFunctions};
}

}  // namespace zetl::command
