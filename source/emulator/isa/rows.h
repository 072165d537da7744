// All rows.
#pragma once

#include "emulator/isa/rows_arithmetic.h"
#include "emulator/isa/rows_bits.h"
#include "emulator/isa/rows_math.h"
#include "emulator/isa/rows_rounding.h"
#include "emulator/isa/rows_select.h"

namespace {

inline constexpr auto kAllRows =
    std::tuple_cat(kArithmeticRows, kRoundingRows, kBitRows, kSelectRows, kMathematicalRows);

}  // namespace
