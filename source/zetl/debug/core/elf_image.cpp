#include "core/elf_image.h"

#include <gelf.h>

#include <algorithm>
#include <utility>

#include "core/failure.h"

namespace zetl::debugger {
namespace {

constexpr std::string_view kCode = ".text.";

}  // namespace

ElfImage::ElfImage(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {
    elf_version(EV_CURRENT);
    elf_ = elf_memory(reinterpret_cast<char*>(bytes_.data()), bytes_.size());
    std::size_t names = 0;
    if (!elf_ || elf_kind(elf_) != ELF_K_ELF || gelf_getclass(elf_) != ELFCLASS64 ||
        elf_getshdrstrndx(elf_, &names) != 0) {
        elf_end(std::exchange(elf_, nullptr));
        fail("the module's debug image is not an ELF file");
    }
    Elf_Scn* section = nullptr;
    while ((section = elf_nextscn(elf_, section))) readSection(section, names);
}

bool ElfImage::isCubin() const noexcept {
    constexpr GElf_Half kCuda = 190;
    GElf_Ehdr head;
    return gelf_getehdr(elf_, &head) && head.e_machine == kCuda;
}

ElfImage::~ElfImage() { elf_end(elf_); }

void ElfImage::readSection(Elf_Scn* section, std::size_t names) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) return;
    const char* text = elf_strptr(elf_, names, header.sh_name);
    const std::string_view name = text ? text : "";
    if (name.starts_with(kCode) && header.sh_addr != 0)
        code_.push_back({std::string(name.substr(kCode.size())), header.sh_addr, header.sh_addr + header.sh_size});
    if (header.sh_type == SHT_SYMTAB && header.sh_entsize > 0)
        readSymbols(section, header.sh_size / header.sh_entsize, header.sh_link);
}

void ElfImage::readSymbols(Elf_Scn* section, std::size_t entries, std::size_t names) {
    Elf_Data* data = elf_getdata(section, nullptr);
    for (std::size_t i = 0; data && i < entries; ++i) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, static_cast<int>(i), &symbol)) return;  // the header claims more symbols than there are
        if (symbol.st_shndx == SHN_UNDEF) continue;
        const char* name = elf_strptr(elf_, names, symbol.st_name);
        if (!name || !*name) continue;
        symbols_.push_back({name, symbol.st_value, symbol.st_size, GELF_ST_TYPE(symbol.st_info) == STT_FUNC});
    }
}

std::span<const std::uint8_t> ElfImage::section(std::string_view wanted) const {
    std::size_t names = 0;
    elf_getshdrstrndx(elf_, &names);
    Elf_Scn* section = nullptr;
    while ((section = elf_nextscn(elf_, section))) {
        GElf_Shdr header;
        const char* name = gelf_getshdr(section, &header) ? elf_strptr(elf_, names, header.sh_name) : nullptr;
        if (!name || name != wanted) continue;
        const Elf_Data* data = elf_rawdata(section, nullptr);
        if (data && data->d_buf) return {static_cast<const std::uint8_t*>(data->d_buf), data->d_size};
    }
    return {};
}

}  // namespace zetl::debugger
