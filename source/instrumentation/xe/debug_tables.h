// Rewrites DWARF's line and frame tables for code that has moved.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "binary/byte_view.h"
#include "binary/outcome.h"
#include "instrumentation/xe/code_edit.h"

namespace zetl::instrumentation {

/// An address in a debug section: a place in the old code, and the movement of that code.
struct CodeAddress {
    const Movement* movement = nullptr;
    std::uint32_t offset = 0;
};
/// The address that a relocation puts at a position of the table, if one does.
using AddressAt = std::function<std::optional<CodeAddress>(std::uint64_t position)>;

struct MovedTable {
    std::vector<std::uint8_t> bytes;
    std::map<std::uint64_t, std::uint64_t> positions;  ///< of the addresses that relocations put there: old to new
};

/// .debug_line of one unit, DWARF 2 to 5: the same rows, at the new places of their code. Inserted code belongs to the
/// line of the instruction behind it.
binary::Outcome<MovedTable> moveLineTable(binary::ByteView table, const AddressAt& addressAt);

/// .debug_frame, DWARF 2 to 4.
binary::Outcome<MovedTable> moveFrameTable(binary::ByteView table, const AddressAt& addressAt);

/// .debug_loc or .debug_ranges, DWARF 2 to 4, of one piece of code that starts at address 0; in place.
void moveLocationLists(std::vector<std::uint8_t>& table, const Movement& movement, bool expressions);

}  // namespace zetl::instrumentation
