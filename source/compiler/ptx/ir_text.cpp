#include "compiler/ptx/ir_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace zetl::compiler {
namespace {

constexpr std::string_view kLayout = "target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"";
constexpr std::string_view kTriple = "target triple = \"nvptx64-unknown-nvidiacl\"";

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

/// Casts from the generic to the default space have become casts from a space to itself, which LLVM refuses.
void dropIdleCasts(std::string& line) {
    constexpr std::string_view kCast = "addrspacecast ";
    for (std::size_t at = 0; (at = line.find(kCast, at)) != std::string::npos; ++at) {
        const auto middle = line.find(" to ", at);
        const auto end = std::min(line.find_first_of("),!", middle + 4), line.size());
        const auto spaces = std::string_view(line).substr(at, std::min(line.find("addrspace(", end), end) - at);
        if (middle != std::string::npos && spaces.find("addrspace(") == std::string_view::npos)
            line.replace(at, kCast.size(), "bitcast ");
    }
}

/// The length and the name behind it that a mangled name begins with; nothing unless it is one.
std::optional<std::string_view> mangledName(std::string_view symbol) {
    if (!symbol.starts_with("_Z")) return std::nullopt;
    std::size_t length = 0;
    const auto [end, bad] = std::from_chars(symbol.data() + 2, symbol.data() + symbol.size(), length);
    const auto from = static_cast<std::size_t>(end - symbol.data());
    if (bad != std::errc() || length > symbol.size() - from) return std::nullopt;
    return symbol.substr(from, length);
}

/// Up to the comma that no bracket holds.
std::string_view firstOf(std::string_view list) {
    int depth = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (std::string_view("<({[").find(list[i]) != std::string_view::npos) ++depth;
        if (std::string_view(">)}]").find(list[i]) != std::string_view::npos) --depth;
        if (list[i] == ',' && depth == 0) return list.substr(0, i);
    }
    return list;
}

/// A parameter's or a result's type without the attributes beside it.
std::string typeOf(std::string_view text) {
    constexpr std::array<std::string_view, 6> kBefore{"signext ", "zeroext ",   "noundef ",
                                                      "range(",   "dso_local ", "local_unnamed_addr "};
    for (bool changed = true; std::exchange(changed, false);)
        for (const auto word : kBefore)
            if (text.starts_with(word)) {
                text.remove_prefix(word.size());
                changed = true;
            }
    constexpr std::string_view kSpace = " addrspace(";
    const bool bracketed = text.starts_with("<") || text.starts_with("{");
    auto end = bracketed ? text.find(text[0] == '<' ? '>' : '}') + 1 : std::min(text.find_first_of(" *"), text.size());
    for (bool more = true; std::exchange(more, false);) {
        more = text.substr(end).starts_with("*") || text.substr(end).starts_with(kSpace);
        if (more) end = text[end] == '*' ? end + 1 : text.find(')', end) + 1;
    }
    return std::string(text.substr(0, end));
}

/// The name behind an @, which ends at `end` unless it is quoted.
std::string_view nameAt(std::string_view text, char end) {
    const bool quoted = text.substr(1).starts_with('"');
    const auto name = text.substr(1 + quoted);
    return name.substr(0, name.find(quoted ? '"' : end));
}

bool definesKernel(std::string_view line) {
    const auto at = line.find('@');
    return line.starts_with("define ") && at != std::string_view::npos &&
           line.substr(0, at).find("ptx_kernel") != std::string_view::npos;
}

}  // namespace

std::vector<std::string> typesIn(std::string_view rest) {
    int depth = 1;
    const auto* const close = std::find_if(rest.begin(), rest.end(), [&](char c) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        return depth == 0;
    });
    rest = rest.substr(0, static_cast<std::size_t>(close - rest.begin()));
    std::vector<std::string> types;
    while (!rest.empty()) {
        const auto one = firstOf(rest);
        types.push_back(typeOf(one));
        rest.remove_prefix(std::min(rest.size(), one.size() + 2));
    }
    return types;
}

std::string withNvidiasConventions(std::string_view module) {
    std::string all;
    eachLine(module, [&](std::string_view given) {
        if (given.starts_with("target datalayout")) given = kLayout;
        if (given.starts_with("target triple")) given = kTriple;
        std::string line(given);
        replaceAll(line, "spir_kernel", "ptx_kernel");
        replaceAll(line, "spir_func ", "");
        replaceAll(line, " addrspace(4)", "");
        replaceAll(line, "addrspace(2)", "addrspace(4)");
        if (line.find("@_Z") != std::string::npos) {
            replaceAll(line, "U3AS4", "");
            replaceAll(line, "U3AS2", "U3AS4");
        }
        dropIdleCasts(line);
        all.append(line).append("\n");
    });
    return all;
}

std::vector<std::string> kernelsOf(std::string_view module) {
    std::vector<std::string> names;
    eachLine(module, [&](std::string_view line) {
        if (definesKernel(line)) names.emplace_back(nameAt(line.substr(line.find('@')), '('));
    });
    return names;
}

std::vector<Export> exportsOf(std::string_view module) {
    const auto isLocal = [](std::string_view words) {
        return std::ranges::any_of(
            std::array<std::string_view, 4>{" internal ", " private ", " external ", " available_"},
            [&](auto word) { return words.find(word) != std::string_view::npos; });
    };
    std::vector<Export> all;
    eachLine(module, [&](std::string_view line) {
        const auto at = line.find('@');
        if (at == std::string_view::npos || definesKernel(line)) return;
        const bool isFunction = line.starts_with("define ");
        const auto kind = std::min(line.find(" global "), line.find(" constant "));
        const bool isVariable = at == 0 && kind < line.find('"', 1);
        if (isFunction && !isLocal(line.substr(0, at)))
            all.push_back({std::string(nameAt(line.substr(at), '(')), true});
        if (isVariable && !isLocal(line.substr(0, kind + 1)))
            all.push_back({std::string(nameAt(line.substr(at), ' ')), false});
    });
    return all;
}

std::vector<std::string> localParametersOf(std::string_view module) {
    std::vector<std::string> names;
    eachLine(module, [&](std::string_view line) {
        if (!definesKernel(line)) return;
        const auto at = line.find('@');
        const auto open = line.find('(', at);
        const auto types = typesIn(line.substr(open + 1));
        for (std::size_t i = 0; i < types.size(); ++i)
            if (types[i].find("addrspace(3)") != std::string::npos)
                names.push_back(std::string(line.substr(at + 1, open - at - 1)) + "_param_" + std::to_string(i));
    });
    return names;
}

std::vector<RequiredGroup> requiredGroupsOf(std::string_view module) {
    constexpr std::string_view kRequired = "!reqd_work_group_size ";
    std::vector<RequiredGroup> groups;
    eachLine(module, [&](std::string_view line) {
        const auto at = line.find(kRequired);
        if (!definesKernel(line) || at == std::string_view::npos) return;
        const auto number =
            line.substr(at + kRequired.size(), line.find_first_of(" {", at + kRequired.size()) - at - kRequired.size());
        const auto from = module.find("\n" + std::string(number) + " = !{");
        if (from == std::string_view::npos) return;
        const auto open = module.find('{', from);
        std::string size(module.substr(open + 1, module.find('}', open) - open - 1));
        replaceAll(size, "i32 ", "");
        groups.push_back({kernelsOf(line).front(), size});
    });
    return groups;
}

std::string withRequiredGroups(std::string ptx, const std::vector<RequiredGroup>& groups) {
    for (const auto& [kernel, size] : groups) {
        const auto at = ptx.find(".entry " + kernel + "(");
        const auto body = ptx.find("\n{", at);
        if (at != std::string::npos && body != std::string::npos) ptx.insert(body, "\n.reqntid " + size);
    }
    return ptx;
}

std::string withLocalParameters(std::string ptx, const std::vector<std::string>& names) {
    constexpr std::string_view kBefore = ".param .u64 ";
    for (const auto& name : names) {
        const auto at = ptx.find(std::string(kBefore) + name);
        if (at != std::string::npos) ptx.insert(at + kBefore.size(), ".ptr .shared .align 1 ");
    }
    return ptx;
}

std::optional<Declaration> Declaration::of(std::string_view line) {
    constexpr std::string_view kDeclare = "declare ";
    const auto at = line.find(" @");
    const auto open = line.find('(', at);
    if (!line.starts_with(kDeclare) || at == std::string_view::npos || open == std::string_view::npos)
        return std::nullopt;
    Declaration made;
    made.symbol = line.substr(at + 2, open - at - 2);
    made.result = typeOf(line.substr(kDeclare.size(), at - kDeclare.size()));
    made.parameters = typesIn(line.substr(open + 1));
    return made;
}

std::string_view Declaration::name() const { return mangledName(symbol).value_or(symbol); }

std::string_view Declaration::mangledTypes() const {
    const auto name = mangledName(symbol);
    return name ? std::string_view(name->data() + name->size(), symbol.data() + symbol.size()) : std::string_view();
}

}  // namespace zetl::compiler
