// Result codes in messages (ze_tools_layer/result_name.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace zetl {

/// For example "ZE_RESULT_ERROR_DEVICE_LOST"; empty if the code has no name. The text ends with a null character.
std::string_view resultName(std::uint64_t code) noexcept;

/// The same without its prefixes, for messages: "DEVICE_LOST"; "unlisted" if the code has no name.
std::string_view shortResultName(std::uint64_t code) noexcept;

}  // namespace zetl
