#include "binary/elf_builder.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace zetl::binary {
namespace {

template <class T>
void append(Bytes& bytes, const std::vector<T>& values) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(values.data());
    bytes.insert(bytes.end(), data, data + values.size() * sizeof(T));
}

void align(Bytes& bytes, std::uint64_t alignment) {
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
}

}  // namespace

std::uint32_t ElfBuilder::nameOf(std::string_view text) {
    if (text.empty()) return 0;
    const auto at = static_cast<std::uint32_t>(names_.size());
    names_.append(text).push_back('\0');
    return at;
}

std::uint16_t ElfBuilder::add(Section section) {
    Row row;
    row.header.sh_name = nameOf(section.name);
    row.header.sh_type = section.type;
    row.header.sh_flags = section.flags;
    row.header.sh_addralign = section.alignment;
    row.header.sh_info = section.info;
    row.header.sh_size = section.type == SHT_NOBITS ? section.zeroes : section.content.size();
    row.content = std::move(section.content);
    rows_.push_back(std::move(row));
    return static_cast<std::uint16_t>(rows_.size() - 1);
}

void ElfBuilder::add(const Symbol& symbol) {
    auto& table = symbol.binding == STB_LOCAL ? local_ : global_;
    table.push_back({.st_name = nameOf(symbol.name),
                     .st_info = static_cast<unsigned char>(ELF64_ST_INFO(symbol.binding, symbol.type)),
                     .st_other = STV_DEFAULT,
                     .st_shndx = symbol.section,
                     .st_value = symbol.value,
                     .st_size = symbol.size});
}

void ElfBuilder::addTables() {
    Bytes symbols;
    append(symbols, local_);
    append(symbols, global_);
    const auto table =
        add({.name = ".symtab", .type = SHT_SYMTAB, .alignment = alignof(Elf64_Sym), .content = symbols});
    const auto nameAt = nameOf(".strtab");
    const auto names = add({.name = "", .type = SHT_STRTAB, .content = {names_.begin(), names_.end()}});
    for (Row& row : rows_) {
        if (row.header.sh_type != SHT_REL) continue;
        row.header.sh_link = table;
        row.header.sh_entsize = sizeof(Elf64_Rel);
    }
    rows_[names].header.sh_name = nameAt;
    rows_[table].header.sh_link = names;
    rows_[table].header.sh_info = static_cast<std::uint32_t>(local_.size());
    rows_[table].header.sh_entsize = sizeof(Elf64_Sym);
}

Bytes ElfBuilder::write(std::uint16_t machine) {
    addTables();
    Elf64_Ehdr header{};
    Bytes file(sizeof header);
    std::vector<Elf64_Shdr> headers;
    for (Row& row : rows_) {
        if (row.header.sh_type != SHT_NULL) {
            align(file, row.header.sh_addralign);
            row.header.sh_offset = file.size();
            file.insert(file.end(), row.content.begin(), row.content.end());
        }
        headers.push_back(row.header);
    }
    align(file, alignof(Elf64_Shdr));
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_REL;
    header.e_machine = machine;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof header;
    header.e_shoff = file.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<std::uint16_t>(headers.size());
    header.e_shstrndx = static_cast<std::uint16_t>(headers.size() - 1);
    std::memcpy(file.data(), &header, sizeof header);
    append(file, headers);
    return file;
}

}  // namespace zetl::binary
