// A module's debug image: an ELF file in memory, from an untrusted process.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf_file.h"

namespace zetl::debugger {

struct Symbol {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    bool isFunction = false;
};

/// Other objects point into it, so it cannot be moved.
class ElfImage {
  public:
    /// Throws Failure if the data is not a 64-bit ELF file.
    explicit ElfImage(std::vector<std::uint8_t> bytes);
    ElfImage(const ElfImage&) = delete;
    ElfImage& operator=(const ElfImage&) = delete;

    std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }
    bool isCubin() const noexcept { return file_.machine == binary::kMachineCuda; }
    /// Empty if there is no such section.
    std::span<const std::uint8_t> section(std::string_view name) const;
    const std::vector<Symbol>& symbols() const noexcept { return symbols_; }
    /// Address ranges of the sections that hold code, by kernel: ".text.NAME".
    struct Code {
        std::string name;  ///< NAME
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };
    const std::vector<Code>& code() const noexcept { return code_; }

  private:
    void readSymbols(const binary::ElfFile::Section& table);

    const std::vector<std::uint8_t> bytes_;
    binary::ElfFile file_;
    std::vector<Symbol> symbols_;
    std::vector<Code> code_;
};

}  // namespace zetl::debugger
