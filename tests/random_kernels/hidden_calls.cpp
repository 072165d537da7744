#include "hidden_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>

#include "cl_type.h"
#include "kernel_writer.h"
#include "operations.h"

namespace zetl::random_kernels {
namespace {

/// The arguments of a call, from its parenthesis on.
std::vector<std::string_view> argumentsAt(std::string_view text) {
    std::vector<std::string_view> arguments;
    std::size_t begin = 1;
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        depth += text[at] == '(';
        depth -= text[at] == ')';
        if (depth != 0 && (depth != 1 || text[at] != ',')) continue;
        arguments.push_back(text.substr(begin, at - begin));
        begin = text.find_first_not_of(' ', at + 1);
        if (depth == 0) break;
    }
    return arguments;
}

/// Says of each call in a text the function's name and the text from the parenthesis on.
void calls(std::string_view text, const std::function<void(std::string_view, std::string_view)>& say) {
    const auto isOfName = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
    };
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '(') continue;
        std::size_t begin = at;
        while (begin > 0 && isOfName(text[begin - 1])) --begin;
        const std::string_view name = text.substr(begin, at - begin);
        if (!name.empty() && name.find('$') == std::string_view::npos) say(name, text.substr(at));
    }
}

using Parameters = std::vector<Type>;

void addWrapper(std::string& text, std::string_view function, const Type& result, const Parameters& parameters) {
    std::string declared;
    std::string passed;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        declared += fmt::format("{}{} p{}", i == 0 ? "" : ", ", parameters[i].name(), i);
        passed += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
    }
    text += fmt::format("static __attribute__((overloadable, noinline)) {} hidden_{}({}) {{ return {}({}); }}\n",
                        result.name(), function, declared, function, passed);
}

void everyType(const std::function<void(const Type&)>& say) {
    for (int base = 0; base < kBases; ++base)
        for (const int width : {1, 2, 3, 4, 8, 16}) say({static_cast<Base>(base), width});
}

/// The parameters of each function of the operations, for each type that it is called with.
std::map<std::string, std::map<std::string, Parameters>, std::less<>> builtIns() {
    std::map<std::string, std::map<std::string, Parameters>, std::less<>> functions;
    for (const Operation& row : kOperations)
        calls(row.pattern, [&](std::string_view name, std::string_view from) {
            everyType([&](const Type& type) {
                if ((row.types & kindOf(type)) == 0) return;
                Parameters parameters;
                for (const std::string_view argument : argumentsAt(from))
                    parameters.push_back(argument.starts_with("$i") ? type.of(Base::int32) : type);
                functions[std::string(name)].emplace(type.name(), std::move(parameters));
            });
        });
    return functions;
}

std::set<std::string, std::less<>> called(const std::string& source) {
    std::set<std::string, std::less<>> names;
    calls(source, [&](std::string_view name, std::string_view) { names.emplace(name); });
    return names;
}
bool isConversion(std::string_view name) { return name.starts_with("convert_"); }

std::string hiddenConversion(const std::string& name) {
    std::string text;
    const std::string_view type = std::string_view(name).substr(name.find('_') + 1);
    everyType([&](const Type& result) {
        if (result.name() != type.substr(0, type.find('_'))) return;
        for (int base = 0; base < kBases; ++base) addWrapper(text, name, result, {result.of(static_cast<Base>(base))});
    });
    return text + fmt::format("#define {0} hidden_{0}\n", name);
}

std::string hiddenFunction(const std::string& name) {
    static const auto all = builtIns();
    const auto found = all.find(name);
    if (found == all.end()) throw std::runtime_error(fmt::format("{} cannot be hidden", name));
    std::string text;
    for (const auto& [_, parameters] : found->second) {
        const Type type = parameters.front();
        addWrapper(text, name, name.starts_with("abs") ? type.asUnsigned() : type, parameters);
    }
    return text + fmt::format("#define {0} hidden_{0}\n", name);
}

}  // namespace

std::vector<std::string> hidable(const std::string& source) {
    static const auto all = builtIns();
    const auto names = called(source);
    std::vector<std::string> found;
    for (const auto& [name, _] : all)
        if (names.contains(name)) found.push_back(name);
    if (std::ranges::any_of(names, isConversion)) found.emplace_back(kConversions);
    return found;
}

std::string withHiddenCalls(const std::string& source, const std::vector<std::string>& functions) {
    if (functions == std::vector<std::string>{kAll}) return withHiddenCalls(source, hidable(source));
    std::string wrappers;
    for (const std::string& function : functions) {
        if (function != kConversions) {
            wrappers += hiddenFunction(function);
            continue;
        }
        for (const std::string& name : called(source))
            if (isConversion(name)) wrappers += hiddenConversion(name);
    }
    std::string text = source;
    return text.insert(prelude().size(), wrappers);
}

}  // namespace zetl::random_kernels
