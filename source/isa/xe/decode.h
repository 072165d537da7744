// Decodes machine code to Instruction by the encoding tables; compacted (8-byte) forms included.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "isa/xe/architecture.h"
#include "isa/xe/instruction.h"

namespace zetl::isa::xe {

/// The instruction at the start of `code`, or nothing if the bytes are too few, the compacted form is reserved, or the
/// architecture has no such opcode. `ip` is only recorded. Safe on any bytes; thread-safe.
std::optional<Instruction> decode(const Architecture& architecture, std::span<const std::byte> code,
                                  std::uint32_t ip) noexcept;

/// One line of assembly in the vendor disassembler's syntax, without scoreboard annotations and comments. Numeric
/// branch distances; floating-point immediates as hexadecimal bits. `architecture`: the one it was decoded for.
std::string text(const Architecture& architecture, const Instruction& instruction);

}  // namespace zetl::isa::xe
