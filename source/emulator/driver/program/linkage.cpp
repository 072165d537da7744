#include "emulator/driver/program/linkage.h"

#include <set>

#include "emulator/driver/program/module.h"

namespace zetl::emulator::driver {
namespace {

using Names = std::set<std::string>;

std::string section(const char* title, const Names& names) {
    std::string text = title;
    text += ":\n";
    for (const std::string& name : names) text += "  " + name + "\n";
    return text;
}

}  // namespace

std::string describeLinkage(std::span<const std::shared_ptr<Module>> modules, ze_linkage_inspection_ext_flags_t flags) {
    Names imports;
    Names exports;
    Names unresolvable;
    for (const auto& module : modules) {
        for (auto& name : module->image().imports()) imports.insert(std::move(name));
        for (const binary::Symbol& symbol : module->image().symbols)
            if (symbol.global && !symbol.undefined) exports.insert(symbol.name);
    }
    for (const std::string& name : imports)
        if (!exports.count(name)) unresolvable.insert(name);
    std::string text;
    if (flags & ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS) text += section("imports", imports);
    if (flags & ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS)
        text += section("unresolvable imports", unresolvable);
    if (flags & ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS) text += section("exports", exports);
    return text;
}

}  // namespace zetl::emulator::driver
