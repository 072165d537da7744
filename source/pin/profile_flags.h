// The build option -zet-profile-flags.
#pragma once

#include <level_zero/zet_api.h>

#include <string_view>

namespace zetl::pin {

/// The flags in a module's build options: the text after the option and one blank, read as a hexadecimal number with or
/// without 0x. 0 if it is missing, empty or unreadable.
zet_profile_flags_t profileFlags(std::string_view buildOptions) noexcept;

}  // namespace zetl::pin
