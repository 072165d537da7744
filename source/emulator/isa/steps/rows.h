// All rows.
#pragma once

#include "emulator/isa/steps/rows_arithmetic.h"
#include "emulator/isa/steps/rows_bits.h"
#include "emulator/isa/steps/rows_downscale.h"
#include "emulator/isa/steps/rows_math.h"
#include "emulator/isa/steps/rows_rounding.h"
#include "emulator/isa/steps/rows_select.h"

namespace {

inline constexpr auto kAllRows =
    std::tuple_cat(kArithmeticRows, kRoundingRows, kBitRows, kSelectRows, kMathematicalRows, kDownscaleRows);

}  // namespace
