#include "core/elf_image.h"

#include <elf.h>

#include <utility>

#include "core/failure.h"

namespace zetl::debugger {
namespace {

constexpr std::string_view kCode = ".text.";

}  // namespace

ElfImage::ElfImage(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {
    auto file = binary::readElf(bytes_);
    if (!file) fail("the module's debug image is not an ELF file; build the module again with -g");
    file_ = *std::move(file);
    for (const auto& section : file_.sections) {
        if (section.name.starts_with(kCode) && section.address != 0)
            code_.push_back({section.name.substr(kCode.size()), section.address, section.address + section.size});
        if (section.type == SHT_SYMTAB) readSymbols(section);
    }
}

/// A damaged table has no symbols.
void ElfImage::readSymbols(const binary::ElfFile::Section& table) {
    const auto symbols = file_.symbols(table);
    if (!symbols) return;
    for (const auto& each : *symbols)
        if (each.section != SHN_UNDEF && !each.name.empty())
            symbols_.push_back({std::string(each.name), each.value, each.size, each.type == STT_FUNC});
}

std::span<const std::uint8_t> ElfImage::section(std::string_view name) const {
    const auto* const found = file_.find(name);
    return found ? found->content.bytes() : std::span<const std::uint8_t>();
}

}  // namespace zetl::debugger
