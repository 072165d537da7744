// Intel's disassembler, IGA: a library of Intel's compiler (Debian: libigc1), opened when first wanted.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "isa/xe/architecture.h"

namespace zetl::correlation {

/// The reason why it cannot be used for the architecture; empty if it can.
const std::string& withoutIga(const isa::xe::Architecture& architecture);

/// How floating-point constants are written: "0.5:f", or "0x3F000000:f".
enum class Reals { decimal, bits };

/// The instruction at the start of `code`; empty if the library is missing or does not know it. Thread-safe.
std::string igaText(const isa::xe::Architecture& architecture, std::span<const std::uint8_t> code,
                    Reals reals = Reals::decimal);

}  // namespace zetl::correlation
