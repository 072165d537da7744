// The sections, symbols and relocations of an ELF64 little-endian file in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "binary/byte_view.h"
#include "binary/outcome.h"

namespace zetl::binary {

inline constexpr std::uint16_t kMachineIntelGt = 205;  ///< e_machine of zebin
inline constexpr std::uint16_t kMachineCuda = 190;     ///< of cubins

/// The content of an ELF file, with its offsets checked. Views point into the bytes given, which must outlive the
/// object.
struct ElfFile {
    struct Section {
        std::string name;
        std::uint32_t type = 0;
        std::uint32_t link = 0;
        std::uint32_t info = 0;
        std::uint64_t flags = 0;
        std::uint64_t address = 0;
        std::uint64_t size = 0;
        std::uint64_t alignment = 0;
        std::uint64_t fileOffset = 0;
        ByteView content;  ///< empty for sections without bytes in the file
    };
    struct Symbol {
        std::string_view name;
        std::uint8_t type = 0;
        std::uint8_t binding = 0;
        std::uint16_t section = 0;
        std::uint64_t value = 0;
        std::uint64_t size = 0;
    };
    struct Relocation {
        std::uint64_t offset = 0;
        std::uint32_t type = 0;
        std::uint32_t symbol = 0;
        std::int64_t addend = 0;
    };

    std::uint16_t type = 0;
    std::uint16_t machine = 0;
    std::uint32_t flags = 0;
    std::vector<Section> sections;  ///< by ELF index

    const Section* find(std::string_view name) const noexcept;
    /// The entries of a symbol table. Fails with Cause::damaged if its size or its names do not fit.
    Outcome<std::vector<Symbol>> symbols(const Section& table) const;
    /// The entries of a SHT_REL or SHT_RELA section.
    Outcome<std::vector<Relocation>> relocations(const Section& table) const;
};

/// Fails with Cause::damaged for damaged, 32-bit and big-endian files.
Outcome<ElfFile> readElf(std::span<const std::uint8_t> bytes);

/// Whether the bytes start like an ELF file.
bool looksLikeElf(std::span<const std::uint8_t> bytes) noexcept;

}  // namespace zetl::binary
