#include "emulator/module/elf_file.h"

#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "emulator/module/native_binary.h"

namespace zetl::emulator::module {
namespace {

struct ElfEnd {
    void operator()(Elf* elf) const noexcept { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfEnd>;

Outcome<ElfFile::Section> readSection(Elf* elf, Elf_Scn* scn, std::size_t nameTable, ByteView file) {
    GElf_Shdr header;
    if (gelf_getshdr(scn, &header) == nullptr) return damaged("ELF", "a section header cannot be read");
    const char* name = elf_strptr(elf, nameTable, header.sh_name);
    if (name == nullptr) return damaged("ELF", fmt::format("section {} has no name", elf_ndxscn(scn)));

    ElfFile::Section section{.name = name,
                             .type = header.sh_type,
                             .link = header.sh_link,
                             .info = header.sh_info,
                             .flags = header.sh_flags,
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
    elf_version(EV_CURRENT);
    // libelf only reads through this pointer: the file is of the host's byte order, or refused below.
    ElfHandle elf(elf_memory(reinterpret_cast<char*>(const_cast<std::uint8_t*>(bytes.data())), bytes.size()));
    GElf_Ehdr header;
    if (!elf || gelf_getclass(elf.get()) != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB ||
        gelf_getehdr(elf.get(), &header) == nullptr)
        return damaged("ELF", "not a little-endian ELF64 file");

    std::size_t count = 0, nameTable = 0;
    if (elf_getshdrnum(elf.get(), &count) != 0 || elf_getshdrstrndx(elf.get(), &nameTable) != 0)
        return damaged("ELF", "the section header table does not lie in the file");
    ElfFile file{.type = header.e_type, .machine = header.e_machine, .flags = header.e_flags, .sections = {}};
    file.sections.resize(std::max<std::size_t>(count, 1));
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf.get(), scn)) != nullptr;) {
        auto section = readSection(elf.get(), scn, nameTable, bytes);
        if (!section) return section.error();
        const std::size_t index = elf_ndxscn(scn);
        if (index < file.sections.size()) file.sections[index] = *std::move(section);
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
    const std::uint64_t entrySize = entryBytes(table.type), count = table.content.size() / entrySize;
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

}  // namespace zetl::emulator::module
