// Which operand's NaN a compiled row keeps.
//
// Of several NaNs the host keeps the first operand's, and a compiler may turn sums and products around. Host code has
// to turn them as the row in use is turned; only running it tells.
#pragma once

#include <cstdint>
#include <optional>

#include "emulator/isa/step_table.h"

namespace zetl::emulator::translate {

/// How a row of sums and products is turned, one bit for each vector of 64 bytes: compilers turn copies of a loop
/// apart.
struct NanOrder {
    std::uint8_t first = 0;  ///< the first operation has its operands turned: y before x, in products of mad z before y
    std::uint8_t second = 0;  ///< the second one has: z before the first one's result, in mac the product before z
};

/// Of add, mul, add3, mac, mad and madm on reals. Nothing if the row keeps NaNs in no order that host code can keep.
std::optional<NanOrder> nanOrderOf(isa::Handler handler, std::uint16_t row, isa::LaneType lanes, bool wide);

/// Whether the row is one of those.
bool hasNanOrder(std::uint16_t row, isa::LaneType lanes) noexcept;

}  // namespace zetl::emulator::translate
