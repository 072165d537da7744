// Merges the DWARF of a patch-token module, which has one ELF file per kernel, into one file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "binary/debug_references.h"
#include "binary/kernel_image.h"

namespace zetl::emulator::module {

class MergedDebugData {
  public:
    /// Adds one file's data about code that lies at the address. If they cannot be moved as a whole, adds nothing, and
    /// the error names the section.
    std::optional<binary::Error> add(binary::ByteView elf, std::uint64_t address);

    const binary::Bytes& content(binary::DebugSection section) const noexcept {
        return contents_[static_cast<std::size_t>(section)];
    }

  private:
    std::array<binary::Bytes, binary::kDebugSectionNames.size()> contents_;

    void append(const binary::DebugSections& sections, const std::vector<binary::DebugReference>& references,
                std::uint64_t address);
};

}  // namespace zetl::emulator::module
