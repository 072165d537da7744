// Location lists of DWARF: for each range of addresses, the expression that says where a variable is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace zetl::debugger {

/// What a list refers to.
struct ListContext {
    std::uint64_t base = 0;                 ///< the unit's lowest address
    std::span<const std::uint8_t> indexed;  ///< DWARF 5: the unit's addresses in .debug_addr, from index 0 on
};

/// An expression, and the addresses for which it is meant.
struct LocatedExpression {
    std::vector<std::uint8_t> expression;
    std::uint64_t begin = 0;
    std::uint64_t end = UINT64_MAX;
};

/// The expression for the address, from the list at this offset of .debug_loc (DWARF 2 to 4) or .debug_loclists
/// (DWARF 5). Empty if there is none, and where the list is damaged.
LocatedExpression expressionInList(unsigned dwarfVersion, std::span<const std::uint8_t> section, std::uint64_t offset,
                                   const ListContext& context, std::uint64_t address);

/// DWARF 5: the list of this number, by the table of offsets at `base` of .debug_loclists. Behind the section's end if
/// the table is damaged.
std::uint64_t indexedOffset(std::span<const std::uint8_t> section, std::uint64_t base, std::uint64_t index);

}  // namespace zetl::debugger
