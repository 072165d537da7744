#include "pin/profile_flags.h"

#include <charconv>

namespace zetl::pin {

zet_profile_flags_t profileFlags(std::string_view buildOptions) noexcept {
    constexpr std::string_view kOption = "-zet-profile-flags";
    constexpr int kHexadecimal = 16;
    const auto found = buildOptions.find(kOption);
    if (found == std::string_view::npos) return 0;
    auto value = buildOptions.substr(found + kOption.size());
    if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    if (value.starts_with("0x") || value.starts_with("0X")) value.remove_prefix(2);
    zet_profile_flags_t flags = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), flags, kHexadecimal);
    return read.ec == std::errc() ? flags : 0;
}

}  // namespace zetl::pin
