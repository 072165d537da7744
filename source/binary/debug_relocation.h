// Applies the relocations of a zebin or cubin that put addresses into its DWARF.
#pragma once

#include <cstdint>
#include <span>

#include "binary/elf_file.h"

namespace zetl::binary {

/// Applies the relocations of .debug_ sections to `bytes`, a copy of the file, for sections at `bases`, by ELF index; 0
/// is no address. Fails with damaged if an entry points outside.
Outcome<Done> relocateDebugData(std::span<std::uint8_t> bytes, const ElfFile& file,
                                std::span<const std::uint64_t> bases);

}  // namespace zetl::binary
