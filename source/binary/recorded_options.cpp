#include "binary/recorded_options.h"

namespace zetl::binary {

std::string_view withoutAddedSwitch(std::string_view recorded) noexcept {
    for (const std::string_view added : {kAddedSwitch, kAddedForNewRegisters}) {
        if (!recorded.ends_with(added)) continue;
        recorded.remove_suffix(added.size());
        return recorded.substr(0, recorded.find_last_not_of(' ') + 1);
    }
    return recorded;
}

}  // namespace zetl::binary
