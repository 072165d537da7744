// Where the DWARF of one file refers to its code and from one of its sections to another: what changes if they move.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "binary/byte_view.h"
#include "binary/outcome.h"

namespace zetl::binary {

enum class DebugSection : std::uint8_t { info, abbreviations, lines, locations, ranges, strings, frames };
inline constexpr std::array<std::string_view, 7> kDebugSectionNames = {
    ".debug_info", ".debug_abbrev", ".debug_line", ".debug_loc", ".debug_ranges", ".debug_str", ".debug_frame"};

constexpr std::string_view nameOf(DebugSection section) noexcept {
    return kDebugSectionNames[static_cast<std::size_t>(section)];
}

/// Contents by DebugSection; empty where the file has none.
using DebugSections = std::array<ByteView, kDebugSectionNames.size()>;

struct DebugReference {
    DebugSection where;
    std::uint64_t position;
    std::uint8_t bytes;                  ///< 4 or 8
    std::optional<DebugSection> target;  ///< an offset in that section; without: an address of the code
};

/// Of DWARF 4, which Intel's compiler writes. Line tables tell their addresses by relocations; location and range lists
/// count from their unit's, and expressions name none. Damaged, by section, where an entry is cut off or contradicts
/// itself, or unsupported: then nothing of the file can be moved.
Outcome<std::vector<DebugReference>> debugReferences(const DebugSections& sections);

}  // namespace zetl::binary
