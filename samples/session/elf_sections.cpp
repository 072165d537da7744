#include "session/elf_sections.h"

#include <elf.h>

#include <cstring>

namespace session {

std::vector<ElfSection> elfSectionsOf(const Bytes& file) {
    Elf64_Ehdr header{};
    if (file.size() < sizeof header) return {};
    std::memcpy(&header, file.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return {};
    if (header.e_shoff > file.size() || header.e_shnum > (file.size() - header.e_shoff) / sizeof(Elf64_Shdr)) return {};
    std::vector<Elf64_Shdr> table(header.e_shnum);
    if (!table.empty()) std::memcpy(table.data(), file.data() + header.e_shoff, table.size() * sizeof(Elf64_Shdr));
    if (header.e_shstrndx >= table.size()) return {};

    const auto& names = table[header.e_shstrndx];
    std::vector<ElfSection> sections;
    for (const auto& entry : table) {
        if (names.sh_offset > file.size() || entry.sh_name >= file.size() - names.sh_offset) return {};
        const auto* name = reinterpret_cast<const char*>(file.data() + names.sh_offset + entry.sh_name);
        const auto room = file.size() - names.sh_offset - entry.sh_name;
        sections.push_back({std::string(name, strnlen(name, room)), entry.sh_addr, entry.sh_offset, entry.sh_size});
    }
    return sections;
}

}  // namespace session
