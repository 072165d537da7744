#include "driver/linkage.h"

#include <algorithm>
#include <iterator>

namespace zetl::driver {
namespace {

std::string section(const char* title, const Linkage::Names& names) {
    std::string text = title;
    text += ":\n";
    for (const std::string& name : names) text += "  " + name + "\n";
    return text;
}

}  // namespace

Linkage::Names Linkage::unresolvable() const {
    Names names;
    std::ranges::set_difference(imports, exports, std::inserter(names, names.end()));
    return names;
}

std::string Linkage::text(ze_linkage_inspection_ext_flags_t flags) const {
    std::string text;
    if (flags & ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS) text += section("imports", imports);
    if (flags & ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS)
        text += section("unresolvable imports", unresolvable());
    if (flags & ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS) text += section("exports", exports);
    return text;
}

}  // namespace zetl::driver
