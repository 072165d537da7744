// Result codes as the command prints them.
#pragma once

#include <cstdint>
#include <string>

namespace zetl::command {

/// Such as "ZE_RESULT_ERROR_DEVICE_LOST"; the number in hexadecimal if there is no name.
std::string resultName(std::uint64_t code);

}  // namespace zetl::command
