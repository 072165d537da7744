// Addresses in DWARF, put in by the relocations of a zebin or cubin.
#pragma once

#include <cstdint>
#include <span>

#include "binary/elf_file.h"

namespace zetl::binary {

/// Applies the relocations of .debug_ sections to `bytes`, a copy of the file, for sections that lie at `bases`, by ELF
/// index; 0 is no address. Damaged where an entry points outside.
Outcome<Done> relocateDebugData(std::span<std::uint8_t> bytes, const ElfFile& file,
                                std::span<const std::uint64_t> bases);

}  // namespace zetl::binary
