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
/// The place in the same table that a relocation puts at a position of it, if one does.
using ReferenceAt = std::function<std::optional<std::uint64_t>(std::uint64_t position)>;

struct MovedTable {
    std::vector<std::uint8_t> bytes;
    std::map<std::uint64_t, std::uint64_t> positions;  ///< of what relocations put there: old to new
    std::map<std::uint64_t, std::uint64_t> starts;     ///< of units or entries: old to new
};

/// .debug_line, DWARF 2 to 5: the same rows, at the new places of their code. Inserted code belongs to the line of the
/// instruction behind it.
binary::Outcome<MovedTable> moveLineTable(binary::ByteView table, const AddressAt& addressAt);

/// .debug_frame, DWARF 2 to 4.
binary::Outcome<MovedTable> moveFrameTable(binary::ByteView table, const AddressAt& addressAt,
                                           const ReferenceAt& referenceAt);

/// One list of .debug_loc, or of .debug_ranges (without expressions), DWARF 2 to 4, whose code starts at address 0; in
/// place. Returns where the list ends.
std::uint64_t moveLocationList(std::vector<std::uint8_t>& table, std::uint64_t start, const Movement& movement,
                               bool expressions);

}  // namespace zetl::instrumentation
