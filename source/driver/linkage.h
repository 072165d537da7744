// Linking of modules that are on the device (core specification, "Dynamically Linked Modules" and extension "Linkage
// Inspection").
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "driver/boundary.h"
#include "driver/build_log.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::driver {

/// What modules want of each other, and have for each other.
struct Linkage {
    using Names = std::set<std::string, std::less<>>;

    Names imports;
    Names exports;

    Names unresolvable() const;
    /// The text of zeModuleInspectLinkageExt: one section per flag, with one symbol per line.
    std::string text(ze_linkage_inspection_ext_flags_t flags) const;
};

/// zeModuleDynamicLink; `log` may be null. `Module` is the driver's class, whose link() writes to a text what is
/// missing.
template <class Module>
Status linkModules(std::uint32_t count, ze_module_handle_t* modules, ze_module_build_log_handle_t* log) {
    const auto all = findAll<Module>(count, modules);
    if (!all) return all.code();
    std::string text;
    const Status status = Module::link(*all, text);
    BuildLog::give(std::move(text), log);
    return status;
}

/// zeModuleInspectLinkageExt. A module adds its names by addTo(Linkage&).
template <class Module>
Status inspectLinkage(const ze_linkage_inspection_ext_desc_t& description, std::uint32_t count,
                      ze_module_handle_t* modules, ze_module_build_log_handle_t* log) {
    constexpr ze_linkage_inspection_ext_flags_t kFlags = ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS |
                                                         ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS |
                                                         ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS;
    if (description.flags & ~kFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto all = findAll<Module>(count, modules);
    if (!all) return all.code();
    Linkage linkage;
    for (const auto& module : *all) module->addTo(linkage);
    BuildLog::give(linkage.text(description.flags), log);
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::driver
