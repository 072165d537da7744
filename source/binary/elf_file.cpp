#include "binary/elf_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "binary/native_binary.h"

namespace zetl::binary {
namespace {

/// The place of the section headers, and the section with their names. Files with very many sections keep both numbers
/// in the first header.
struct SectionTable {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
    std::uint64_t names = 0;
};

std::optional<SectionTable> locate(const Elf64_Ehdr& header, ByteView file) {
    if (header.e_shoff == 0) return SectionTable{};
    const auto first = file.read<Elf64_Shdr>(header.e_shoff);
    if (!first || header.e_shentsize != sizeof(Elf64_Shdr)) return std::nullopt;
    SectionTable table{header.e_shoff, header.e_shnum, header.e_shstrndx};
    if (header.e_shnum == 0) table.count = first->sh_size;
    if (header.e_shstrndx == SHN_XINDEX) table.names = first->sh_link;
    const std::uint64_t room = (file.size() - table.offset) / sizeof(Elf64_Shdr);
    return table.count <= room ? std::optional(table) : std::nullopt;
}

Outcome<ElfFile::Section> readSection(std::uint64_t index, const SectionTable& table, ByteView names, ByteView file) {
    const auto header = *file.read<Elf64_Shdr>(table.offset + index * sizeof(Elf64_Shdr));
    const auto name = names.text(header.sh_name);
    if (!name) return damaged("ELF", fmt::format("section {} has no name", index));

    ElfFile::Section section{.name = std::string(*name),
                             .type = header.sh_type,
                             .link = header.sh_link,
                             .info = header.sh_info,
                             .flags = header.sh_flags,
                             .address = header.sh_addr,
                             .size = header.sh_size,
                             .alignment = header.sh_addralign,
                             .fileOffset = header.sh_offset,
                             .content = {}};
    if (header.sh_type == SHT_NOBITS || header.sh_type == SHT_NULL) return section;
    const auto content = file.part(header.sh_offset, header.sh_size);
    if (!content) return damaged("ELF", fmt::format("section {} reaches beyond the end of the file", section.name));
    section.content = *content;
    return section;
}

/// The string table of section names; empty if there is none, so that no section has a name.
ByteView namesOf(const SectionTable& table, ByteView file) {
    if (table.names >= table.count) return {};
    const auto header = *file.read<Elf64_Shdr>(table.offset + table.names * sizeof(Elf64_Shdr));
    if (header.sh_type != SHT_STRTAB) return {};
    return file.part(header.sh_offset, header.sh_size).value_or(ByteView());
}

constexpr std::uint64_t entryBytes(std::uint32_t sectionType) noexcept {
    return sectionType == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
}

}  // namespace

bool looksLikeElf(std::span<const std::uint8_t> bytes) noexcept {
    return bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

Outcome<ElfFile> readElf(std::span<const std::uint8_t> bytes) {
    if (!looksLikeElf(bytes)) return damaged("ELF", "not an ELF file");
    if (bytes.size() > kMaxContainerBytes)
        return Error{Cause::limit,
                     fmt::format("the binary has {} bytes, the limit is {}", bytes.size(), kMaxContainerBytes)};
    const ByteView view(bytes);
    const auto header = view.read<Elf64_Ehdr>(0);
    if (!header || header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
        return damaged("ELF", "not a little-endian ELF64 file");
    const auto table = locate(*header, view);
    if (!table) return damaged("ELF", "the section header table does not lie in the file");

    ElfFile file{.type = header->e_type, .machine = header->e_machine, .flags = header->e_flags, .sections = {}};
    file.sections.resize(std::max<std::size_t>(table->count, 1));
    const ByteView names = namesOf(*table, view);
    for (std::uint64_t i = 1; i < table->count; ++i) {
        auto section = readSection(i, *table, names, view);
        if (!section) return section.error();
        file.sections[i] = *std::move(section);
    }
    return file;
}

const ElfFile::Section* ElfFile::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find(sections, name, &Section::name);
    return found == sections.end() ? nullptr : &*found;
}

Outcome<std::vector<ElfFile::Symbol>> ElfFile::symbols(const Section& table) const {
    const std::uint64_t count = table.content.size() / sizeof(Elf64_Sym);
    if (count > kMaxSymbols)
        return Error{Cause::limit, fmt::format("{} has {} symbols, the limit is {}", table.name, count, kMaxSymbols)};
    if (table.link >= sections.size()) return damaged(table.name, "no string table");
    const ByteView names = sections[table.link].content;
    std::vector<Symbol> result;
    result.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto entry = table.content.read<Elf64_Sym>(i * sizeof(Elf64_Sym));
        const auto name = entry->st_name == 0 ? std::string_view() : names.text(entry->st_name);
        if (!name) return damaged(table.name, fmt::format("the name of symbol {} lies outside its string table", i));
        result.push_back({*name, static_cast<std::uint8_t>(ELF64_ST_TYPE(entry->st_info)),
                          static_cast<std::uint8_t>(ELF64_ST_BIND(entry->st_info)), entry->st_shndx, entry->st_value,
                          entry->st_size});
    }
    return result;
}

Outcome<std::vector<ElfFile::Relocation>> ElfFile::relocations(const Section& table) const {
    const std::uint64_t entrySize = entryBytes(table.type);
    const std::uint64_t count = table.content.size() / entrySize;
    if (count > kMaxRelocations)
        return Error{Cause::limit,
                     fmt::format("{} has {} entries, the limit is {}", table.name, count, kMaxRelocations)};
    if (table.content.size() % entrySize != 0)
        return damaged(table.name, fmt::format("{} bytes are no whole number of entries", table.content.size()));
    std::vector<Relocation> result;
    result.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto entry = table.content.read<Elf64_Rel>(i * entrySize);
        Relocation relocation{.offset = entry->r_offset,
                              .type = static_cast<std::uint32_t>(ELF64_R_TYPE(entry->r_info)),
                              .symbol = static_cast<std::uint32_t>(ELF64_R_SYM(entry->r_info)),
                              .addend = 0};
        if (table.type == SHT_RELA)
            relocation.addend = *table.content.read<std::int64_t>(i * entrySize + sizeof(Elf64_Rel));
        result.push_back(relocation);
    }
    return result;
}

}  // namespace zetl::binary
