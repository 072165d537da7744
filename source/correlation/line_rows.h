// The rows of an ELF file's DWARF line tables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "correlation/elfutils.h"

namespace zetl::correlation {

struct LineRow {
    static constexpr Dwarf_Off kNoUnit = UINT64_MAX;

    std::uint64_t address = 0;
    const char* file = nullptr;  ///< as elfutils spells it, and as long as its Dwarf; null: unknown
    int line = 0;                ///< 0: no line
    int column = 0;
    bool isStatement = false;   ///< a statement begins at the address
    bool endsSequence = false;  ///< no code belongs to the row
    Dwarf_Off unit = kNoUnit;   ///< of the compilation unit's entry
};

/// All rows, by address. Compilers that were asked for line tables only write no other DWARF; their tables belong to no
/// unit.
std::vector<LineRow> readLineRows(const Elfutils& dw, Dwarf* dwarf);

/// The row that covers the address; null if none does.
const LineRow* rowAt(std::span<const LineRow> rows, std::uint64_t address);

}  // namespace zetl::correlation
