// Source places by address, from the DWARF of an ELF file whose debug sections are relocated.
#pragma once

#include <ze_tools_layer/correlation.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace zetl::correlation {

/// Owns a copy of the file. One thread at a time.
class DebugLines {
  public:
    /// Null if the file has no DWARF that elfutils can read.
    static std::unique_ptr<DebugLines> open(std::vector<std::uint8_t> elf);
    ~DebugLines();

    /// Whether some line table has a row.
    bool hasRows() const;
    /// The place of the address, then the places at which its function, and each next function, was inlined. Empty if
    /// no row of a line table covers the address.
    std::vector<Place> at(std::uint64_t address) const;

  private:
    struct Opened;
    std::unique_ptr<Opened> opened_;
    explicit DebugLines(std::unique_ptr<Opened> opened);
};

}  // namespace zetl::correlation
