// The operators of equations, applied to a block of rows.
#pragma once

#include <cstdint>

#include "metrics/calculation/rows.h"

namespace zetl::metrics {

using Step = void (*)(const Node& node, std::uint32_t self, Rows& rows);

/// Computes node number `self` of the block.
Step stepOf(Operator op) noexcept;

}  // namespace zetl::metrics
