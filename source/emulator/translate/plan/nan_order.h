// Finds out which operand's NaN a compiled row keeps.
//
// Of several NaNs the host keeps the first operand's, and a compiler may swap the operands of sums and products. Host
// code has to use the order of the compiled row, which shows only when it runs.
#pragma once

#include <cstdint>
#include <optional>

#include "emulator/isa/step_table.h"

namespace zetl::emulator::translate {

/// The operand order of a row of sums and products, one bit for each vector of 64 bytes: compilers may swap operands in
/// one copy of a loop and not in another.
struct NanOrder {
    std::uint8_t first = 0;   ///< the first operation is swapped: y before x, in products of mad z before y
    std::uint8_t second = 0;  ///< the second one is: z before the first one's result, in mac the product before z
};

/// For add, mul, add3, mac, mad and madm on floats. Nothing if the row keeps NaNs in no order that host code can keep.
std::optional<NanOrder> nanOrderOf(isa::Handler handler, std::uint16_t row, isa::LaneType lanes, bool wide);

/// Whether the row is one of those above.
bool hasNanOrder(std::uint16_t row, isa::LaneType lanes) noexcept;

}  // namespace zetl::emulator::translate
