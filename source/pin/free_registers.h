// The registers that a kernel does not use, from its module.
#pragma once

#include <ze_tools_layer/profile_tokens.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "instrumentation/xe/register_set.h"

namespace zetl::pin {

/// What the compiler did about a kernel's registers, and which ones are free.
struct RegisterReport {
    bool readable = false;     ///< the kernel was found
    bool reallocated = false;  ///< the compiler used as few as it could
    bool reported = false;     ///< it reported which are free, even if none is
    zetl_token_source_t source = ZETL_TOKENS_NONE;
    std::vector<instrumentation::ByteRange> free;  ///< in bytes of the register file, ascending
};

/// Reads a module's image, ELF or patch tokens. If the compiler's record names registers, those count, without those
/// that the machine code uses; if it names none, the machine code decides. Empty, with a log line, if the image has no
/// such kernel or is damaged.
RegisterReport registersOf(std::span<const std::uint8_t> image, std::string_view kernel);

/// The tokens of the specification, one after the other: one for free registers, if there are any.
std::vector<std::uint8_t> tokensOf(const RegisterReport& report);

}  // namespace zetl::pin
