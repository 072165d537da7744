#include "binary/recorded_options.h"

namespace zetl::binary {

std::string_view withoutAddedSwitch(std::string_view recorded) noexcept {
    if (!recorded.ends_with(kAddedSwitch)) return recorded;
    recorded.remove_suffix(kAddedSwitch.size());
    return recorded.substr(0, recorded.find_last_not_of(' ') + 1);
}

}  // namespace zetl::binary
