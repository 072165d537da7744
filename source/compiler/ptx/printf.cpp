#include "compiler/ptx/printf.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <vector>

#include "compiler/ptx/body.h"
#include "compiler/ptx/ir_text.h"

namespace zetl::compiler {
namespace {

constexpr std::string_view kFunction = " @printf(";
constexpr std::string_view kSpace = " addrspace(";

/// A pointer's type without its address space.
std::string inGenericSpace(std::string type) {
    const auto at = type.rfind(kSpace);
    if (at != std::string::npos) type.erase(at, type.find(')', at) + 1 - at);
    return type;
}

bool isPointer(const std::string& type) { return type.starts_with("ptr") || type.ends_with("*"); }

struct Passed {
    std::string type;
    std::string value;
};

/// As C passes an argument to a function of any arguments; nothing for vectors and structures.
std::optional<Passed> promoted(Body& body, const std::string& type, const std::string& value) {
    if (isPointer(type)) {
        const auto plain = inGenericSpace(type);
        return Passed{plain, plain == type ? value : body.value("addrspacecast {} {} to {}", type, value, plain)};
    }
    if (type == "half" || type == "float") return Passed{"double", body.value("fpext {} {} to double", type, value)};
    if (type == "i8" || type == "i16") return Passed{"i32", body.value("sext {} {} to i32", type, value)};
    if (type == "double" || type == "i32" || type == "i64") return Passed{type, value};
    return std::nullopt;
}

/// A function that passes arguments of these types, the first of which is the format.
std::optional<std::string> helper(const std::string& name, const std::vector<std::string>& types) {
    Body body;
    std::vector<Passed> all;
    std::string parameters;
    std::string members;
    for (std::size_t i = 0; i < types.size(); ++i) {
        parameters += fmt::format("{}{} %a{}", i ? ", " : "", types[i], i);
        auto one = promoted(body, types[i], "%a" + std::to_string(i));
        if (!one) return std::nullopt;
        all.push_back(*std::move(one));
        if (i > 0) members += (i > 1 ? ", " : "") + all[i].type;
    }
    const std::string generic = all[0].type;
    const bool typed = generic != "ptr";
    const auto pointerTo = [&](const std::string& type) { return typed ? type + "*" : generic; };
    const std::string block = "{ " + members + " }";
    std::string arguments = "null";
    if (types.size() > 1) {
        const auto buffer = body.value("alloca {}, align 8", block);
        for (std::size_t i = 1; i < all.size(); ++i) {
            const auto place =
                body.value("getelementptr {}, {} {}, i32 0, i32 {}", block, pointerTo(block), buffer, i - 1);
            body.line("  store {} {}, {} {}", all[i].type, all[i].value, pointerTo(all[i].type), place);
        }
        arguments = typed ? body.value("bitcast {} {} to {}", pointerTo(block), buffer, generic) : buffer;
    }
    const auto printed = body.value("call i32 @{}({} {}, {} {})", kVprintf, generic, all[0].value, generic, arguments);
    const auto failed = body.value("icmp slt i32 {}, 0", printed);
    body.line("  ret i32 {}", body.value("select i1 {}, i32 -1, i32 0", failed));
    return fmt::format("define internal i32 @{}({}) alwaysinline nounwind {{\n{}}}\n", name, parameters, body.text());
}

/// The helpers of a module.
class Helpers {
  public:
    /// The name of the one for these types; null if there can be none.
    const std::string* of(const std::vector<std::string>& types) {
        const auto [place, isNew] = names_.try_emplace(types);
        if (!isNew) return place->second.empty() ? nullptr : &place->second;
        const auto name = "zetl.printf." + std::to_string(names_.size());
        const auto text = helper(name, types);
        if (!text) return nullptr;
        place->second = name;
        text_ += *text;
        generic_ = inGenericSpace(types[0]);
        return &place->second;
    }
    std::string text() const {
        return text_.empty() ? text_ : text_ + fmt::format("declare i32 @{}({}, {})\n", kVprintf, generic_, generic_);
    }

  private:
    std::map<std::vector<std::string>, std::string> names_;  ///< empty: there is none
    std::string text_;
    std::string generic_;
};

}  // namespace

std::string withPrintf(std::string_view module) {
    if (module.find(kFunction) == std::string_view::npos) return std::string(module);
    Helpers helpers;
    std::string all;
    eachLine(module, [&](std::string_view line) {
        const auto call = line.find("call ");
        const auto function = line.find(kFunction);
        const std::string* name = nullptr;
        if (call != std::string_view::npos && function != std::string_view::npos)
            name = helpers.of(typesIn(line.substr(function + kFunction.size())));
        if (name)
            all += fmt::format("{}call i32 @{}({}\n", line.substr(0, call), *name,
                               line.substr(function + kFunction.size()));
        else
            all.append(line).append("\n");
    });
    return all + helpers.text();
}

}  // namespace zetl::compiler
