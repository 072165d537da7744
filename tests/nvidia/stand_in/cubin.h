// What the stand-ins have for a cubin: an ELF file with the PTX behind its header, and a section of code for each
// kernel, which lies where the text begins with it.
#pragma once

#include <elf.h>

#include <cstring>
#include <regex>
#include <string>
#include <vector>

namespace stand_in {

template <class T>
void append(std::string& image, const T& value) {
    image.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Code is at `address`, counted from the begin of the file; 0: it has no place yet.
inline std::string cubinOf(const std::string& text, Elf64_Addr address = 0) {
    std::vector<Elf64_Shdr> sections(1);
    std::string names(1, '\0');
    const auto add = [&](const std::string& name, Elf64_Word type, std::size_t offset, std::size_t bytes) {
        Elf64_Shdr section{};
        section.sh_name = static_cast<Elf64_Word>(names.size());
        section.sh_type = type;
        section.sh_offset = offset;
        section.sh_size = bytes;
        if (type == SHT_PROGBITS && address != 0) section.sh_addr = address + offset;
        sections.push_back(section);
        names += name + '\0';
    };
    constexpr std::size_t kInstruction = 16;
    const std::regex entry(R"(\.entry (\w+)\()");
    for (std::sregex_iterator i(text.begin(), text.end(), entry), end; i != end; ++i) {
        const auto at = sizeof(Elf64_Ehdr) + static_cast<std::size_t>(i->position());
        add(".text." + (*i)[1].str(), SHT_PROGBITS, at / kInstruction * kInstruction, 2 * kInstruction);
    }
    const auto namesAt = sizeof(Elf64_Ehdr) + text.size() + 1;
    add(".shstrtab", SHT_STRTAB, namesAt, names.size() + sizeof ".shstrtab");
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    head.e_machine = 190;
    head.e_shoff = namesAt + names.size();
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = static_cast<Elf64_Half>(sections.size());
    head.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
    std::string image;
    append(image, head);
    image += text + '\0' + names;
    for (const auto& section : sections) append(image, section);
    return image;
}

}  // namespace stand_in
