// Damage that cutting and flipping bits seldom do: ELF files of which one section says that it has no bytes.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "binary/elf_file.h"
#include "binary/module_image.h"

namespace zetl::emulator::module {

/// One file for each section.
inline std::vector<binary::Bytes> emptied(const binary::Bytes& elf) {
    const auto header = binary::ByteView(elf).read<Elf64_Ehdr>(0);
    std::vector<binary::Bytes> files;
    for (std::size_t i = 1; header && i < header->e_shnum; ++i) {
        auto& file = files.emplace_back(elf);
        const Elf64_Word none = SHT_NOBITS;
        std::memcpy(&file[header->e_shoff + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_type)], &none,
                    sizeof none);
    }
    return files;
}

}  // namespace zetl::emulator::module
