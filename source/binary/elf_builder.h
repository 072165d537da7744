// Builds an ELF64 little-endian file from sections and symbols.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "binary/kernel_image.h"

namespace zetl::binary {

/// Sections are written in the order in which they were added, then the symbol and string tables.
class ElfBuilder {
  public:
    struct Section {
        std::string name;
        std::uint32_t type = SHT_PROGBITS;
        std::uint64_t flags = 0;
        std::uint64_t alignment = 1;
        Bytes content;
        std::uint64_t zeroes = 0;  ///< of SHT_NOBITS: its size
        std::uint32_t info = 0;    ///< of SHT_REL: the section that it changes
    };
    struct Symbol {
        std::string_view name;
        std::uint8_t type = STT_NOTYPE;
        std::uint8_t binding = STB_LOCAL;
        std::uint16_t section = SHN_UNDEF;
        std::uint64_t value = 0;
        std::uint64_t size = 0;
    };

    /// The section's index.
    std::uint16_t add(Section section);
    void add(const Symbol& symbol);

    /// A relocatable file.
    Bytes write(std::uint16_t machine);

  private:
    struct Row {
        Elf64_Shdr header{};  ///< without its place
        Bytes content;
    };

    std::vector<Row> rows_ = std::vector<Row>(1);  // the first section of a file is the null section
    std::vector<Elf64_Sym> local_ = std::vector<Elf64_Sym>(1);
    std::vector<Elf64_Sym> global_;
    std::string names_ = std::string(1, '\0');

    std::uint32_t nameOf(std::string_view text);
    void addTables();
};

}  // namespace zetl::binary
