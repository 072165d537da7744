// The places in the DWARF of one file that refer to its code or to another of its sections: these change if those move.
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

/// Contents by DebugSection; empty if the file lacks the section.
using DebugSections = std::array<ByteView, kDebugSectionNames.size()>;

struct DebugReference {
    DebugSection where;
    std::uint64_t position;
    std::uint8_t bytes;                  ///< 4 or 8
    std::optional<DebugSection> target;  ///< an offset in that section; none: an address in the code
};

/// For DWARF 4, which Intel's compiler writes. Addresses in line tables are relocations; location and range lists count
/// from their unit's address, and expressions contain none. If an entry is cut off or contradicts itself, the error is
/// damaged and names the section; unsupported data are an error, too. Then nothing of the file can be moved.
Outcome<std::vector<DebugReference>> debugReferences(const DebugSections& sections);

}  // namespace zetl::binary
