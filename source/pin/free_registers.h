// The registers that a kernel leaves alone, from what its module says.
#pragma once

#include <ze_tools_layer/profile_tokens.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "instrumentation/xe/register_set.h"

namespace zetl::pin {

/// What the compiler did about a kernel's registers, and which are free.
struct RegisterReport {
    bool readable = false;     ///< the kernel was found
    bool reallocated = false;  ///< it used as few as it could
    bool reported = false;     ///< it said which are free, be it none
    zetl_token_source_t source = ZETL_TOKENS_NONE;
    std::vector<instrumentation::ByteRange> free;  ///< in bytes of the register file, ascending
};

/// Reads a module's image, ELF or patch tokens. The compiler's record counts where it names registers, less those that
/// the machine code touches; where it names none, the machine code does. Empty if the image has no such kernel or is
/// damaged, with a log line.
RegisterReport registersOf(std::span<const std::uint8_t> image, std::string_view kernel);

/// The tokens of the specification, one behind the other: one of free registers if there are any.
std::vector<std::uint8_t> tokensOf(const RegisterReport& report);

}  // namespace zetl::pin
