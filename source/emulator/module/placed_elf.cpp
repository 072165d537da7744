#include "emulator/module/placed_elf.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "binary/debug_relocation.h"
#include "binary/elf_file.h"
#include "binary/intel_notes.h"
#include "binary/special_symbols.h"

namespace zetl::emulator::module {
namespace {

/// Rewrites the file in place; program headers are appended behind it.
class PlacedElfWriter {
  public:
    PlacedElfWriter(const LinkedModule& module, const binary::ElfFile& file, binary::Bytes bytes)
        : module_(module), file_(file), bytes_(std::move(bytes)), bases_(file.sections.size()) {}

    binary::Outcome<binary::Bytes> run(const std::vector<LoadedSection>& loaded) {
        const auto header = binary::ByteView(bytes_).read<Elf64_Ehdr>(0);
        if (!header || !binary::ByteView(bytes_).holds(header->e_shoff, file_.sections.size() * sizeof(Elf64_Shdr)))
            return binary::Error{binary::Cause::damaged, "the module's ELF headers are cut off"};
        sectionHeaders_ = header->e_shoff;
        for (const LoadedSection& section : loaded) place(section);
        for (const binary::ElfFile::Section& section : file_.sections) {
            if (section.type == SHT_SYMTAB) moveSymbols(section);
            if (section.name == binary::kCompatibilityNotes && section.content.size() > 0)
                binary::stateFamilies(std::span(bytes_).subspan(section.fileOffset, section.content.size()),
                                      module_.image().target.product);
        }
        if (auto relocated = binary::relocateDebugData(bytes_, file_, bases_); !relocated) return relocated.error();
        appendProgramHeaders(*header);
        return std::move(bytes_);
    }

  private:
    const LinkedModule& module_;
    const binary::ElfFile& file_;
    binary::Bytes bytes_;
    std::vector<std::uint64_t> bases_;  ///< load address by ELF section, 0 if not loaded
    std::vector<Elf64_Phdr> segments_;
    std::uint64_t sectionHeaders_ = 0;

    template <class T>
    void write(std::uint64_t offset, const T& value) {
        std::memcpy(&bytes_[offset], &value, sizeof value);
    }

    void place(const LoadedSection& loaded) {
        const std::uint64_t address = module_.addressOf(loaded.place);
        const binary::ElfFile::Section& section = file_.sections[loaded.section];
        bases_[loaded.section] = address;
        write(sectionHeaders_ + loaded.section * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr), address);
        if (loaded.permissions == 0) return;
        segments_.push_back({.p_type = PT_LOAD,
                             .p_flags = loaded.permissions,
                             .p_offset = section.fileOffset,
                             .p_vaddr = address,
                             .p_paddr = address,
                             .p_filesz = section.content.size(),
                             .p_memsz = section.size,
                             .p_align = std::max<std::uint64_t>(section.alignment, 1)});
    }

    void moveSymbols(const binary::ElfFile::Section& table) {
        for (std::uint64_t at = 0; table.content.holds(at, sizeof(Elf64_Sym)); at += sizeof(Elf64_Sym)) {
            const auto symbol = *table.content.read<Elf64_Sym>(at);
            if (symbol.st_shndx >= bases_.size() || bases_[symbol.st_shndx] == 0) continue;
            const std::uint64_t value = symbol.st_value + bases_[symbol.st_shndx];
            write(table.fileOffset + at + offsetof(Elf64_Sym, st_value), value);
        }
    }

    void appendProgramHeaders(Elf64_Ehdr header) {
        bytes_.resize((bytes_.size() + alignof(Elf64_Phdr) - 1) / alignof(Elf64_Phdr) * alignof(Elf64_Phdr));
        header.e_type = ET_EXEC;
        header.e_phoff = bytes_.size();
        header.e_phentsize = sizeof(Elf64_Phdr);
        header.e_phnum = static_cast<std::uint16_t>(std::min<std::size_t>(segments_.size(), PN_XNUM - 1));
        write(0, header);
        const auto* data = reinterpret_cast<const std::uint8_t*>(segments_.data());
        bytes_.insert(bytes_.end(), data, data + header.e_phnum * sizeof(Elf64_Phdr));
    }
};

}  // namespace

std::uint32_t permissionsOf(binary::DataKind kind) noexcept {
    constexpr std::uint32_t kPermissions[binary::kDataKinds] = {PF_R, PF_R | PF_W, 0};
    return kPermissions[static_cast<int>(kind)];
}

binary::Outcome<binary::Bytes> place(UnplacedElf elf, const LinkedModule& module) {
    const binary::Bytes bytes = std::move(elf.bytes);
    const auto file = binary::readElf(bytes);
    if (!file) return file.error();
    return PlacedElfWriter(module, *file, bytes).run(elf.loaded);
}

}  // namespace zetl::emulator::module
