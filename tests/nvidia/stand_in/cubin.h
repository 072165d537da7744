// What the stand-ins have for a cubin: an ELF file with the PTX behind its header, and a section of code for each
// kernel, which lies where the text begins with it. One that has its place is as cuda-gdb writes them: its symbols are
// addresses, and it has a table of lines, in which each kernel's two instructions are lines of kernels.cl.
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/pattern.h"

namespace stand_in {

template <class T>
void append(std::string& image, const T& value) {
    image.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline constexpr int kFirstLine = 10;  ///< of the first kernel; each next one begins ten lines further down

/// DWARF 2 for code of two instructions in each place, without a unit that the table belongs to.
inline std::string linesOf(const std::vector<Elf64_Addr>& places) {
    const std::string files = std::string("/src\0\0", 6) + std::string("kernels.cl\0\1\0\0\0", 15);
    const std::string parameters("\x10\1\xfb\x0e\x0a\0\1\1\1\1\0\0\0\1", 14);
    std::string program;
    int line = 1;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const int wanted = kFirstLine * static_cast<int>(i + 1);
        program += std::string("\0\x09\2", 3);
        append(program, places[i]);
        program += {3, static_cast<char>(wanted - line), 1};  // advance the line, and a row
        program += {2, 1, 3, 1, 1};                           // an instruction and a line further on
        program += {2, 1, 0, 1, 1};                           // the end
        line = 1;
    }
    std::string body;
    append(body, std::uint16_t{2});
    append(body, static_cast<std::uint32_t>(parameters.size() + files.size()));
    body += parameters + files + program;
    std::string table;
    append(table, static_cast<std::uint32_t>(body.size()));
    return table + body;
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
    std::vector<Elf64_Addr> places;
    std::vector<Elf64_Sym> symbols(1);
    std::string symbolNames(1, '\0');
    for (const zetl::test::Match& entry : zetl::test::matchesOf(R"(\.entry (\w+)\()", text)) {
        const std::string& name = entry[1];
        const auto at = (sizeof(Elf64_Ehdr) + entry.position) / kInstruction * kInstruction;
        add(".text." + name, SHT_PROGBITS, at, 2 * kInstruction);
        places.push_back(address + at);
        Elf64_Sym symbol{};
        symbol.st_name = static_cast<Elf64_Word>(symbolNames.size());
        symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
        symbol.st_shndx = static_cast<Elf64_Half>(sections.size() - 1);
        symbol.st_value = address == 0 ? 0 : address + at;
        symbol.st_size = 2 * kInstruction;
        symbols.push_back(symbol);
        symbolNames += name + '\0';
        add(".nv.constant0." + name, SHT_NOBITS, 0, 0);
    }
    std::string tables;
    const auto addTable = [&](const std::string& name, Elf64_Word type, const std::string& content) {
        add(name, type, sizeof(Elf64_Ehdr) + text.size() + 1 + tables.size(), content.size());
        if (type == SHT_PROGBITS) sections.back().sh_addr = 0;
        tables += content;
    };
    std::string table;
    for (const auto& each : symbols) append(table, each);
    addTable(".symtab", SHT_SYMTAB, table);
    sections.back().sh_entsize = sizeof(Elf64_Sym);
    sections.back().sh_link = static_cast<Elf64_Word>(sections.size());
    addTable(".strtab", SHT_STRTAB, symbolNames);
    if (address != 0) addTable(".debug_line", SHT_PROGBITS, linesOf(places));
    const auto namesAt = sizeof(Elf64_Ehdr) + text.size() + 1 + tables.size();
    add(".shstrtab", SHT_STRTAB, namesAt, names.size() + sizeof ".shstrtab");
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    head.e_type = ET_EXEC;
    head.e_machine = 190;
    head.e_shoff = namesAt + names.size();
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = static_cast<Elf64_Half>(sections.size());
    head.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
    std::string image;
    append(image, head);
    image += text + '\0' + tables + names;
    for (const auto& section : sections) append(image, section);
    return image;
}

}  // namespace stand_in
