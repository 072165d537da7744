#include "base/result_name.h"

#include <ze_tools_layer/result_name.h>

namespace zetl {
namespace {

/// The rest of `name` behind `prefix`, if it begins with the prefix.
constexpr std::string_view behind(std::string_view prefix, std::string_view name) {
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

}  // namespace

std::string_view resultName(std::uint64_t code) noexcept {
    const char* name = zetlResultName(code);
    return name ? std::string_view(name) : std::string_view();
}

std::string_view shortResultName(std::uint64_t code) noexcept {
    const auto name = resultName(code);
    return name.empty() ? "unlisted" : behind("WARNING_", behind("ERROR_", behind("ZE_RESULT_", name)));
}

}  // namespace zetl
