// Edits sections of an ELF file.
#pragma once

#include <elf.h>

#include <map>
#include <span>
#include <vector>

#include "binary/elf_file.h"

namespace zetl::instrumentation {

/// Section contents are replaced one by one, then the file is written anew, with sections in their former order.
/// Segments keep their sections and their addresses.
class ElfEdit {
  public:
    /// `bytes` must outlive it.
    static binary::Outcome<ElfEdit> open(std::span<const std::uint8_t> bytes);

    const binary::ElfFile& file() const noexcept { return file_; }
    /// The present content, which may be changed.
    std::vector<std::uint8_t>& content(std::uint32_t section);
    std::vector<std::uint8_t> write() const;

  private:
    std::span<const std::uint8_t> bytes_;
    binary::ElfFile file_;
    std::map<std::uint32_t, std::vector<std::uint8_t>> changed_;

    ElfEdit(std::span<const std::uint8_t> bytes, binary::ElfFile file) : bytes_(bytes), file_(std::move(file)) {}
    std::span<const std::uint8_t> contentOf(std::uint32_t section) const;
    std::vector<Elf64_Phdr> movedSegments(const Elf64_Ehdr& header, std::span<const Elf64_Shdr> table) const;
};

}  // namespace zetl::instrumentation
