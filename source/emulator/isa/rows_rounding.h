// Rows: fractions and rounding to whole numbers, none of which depends on the rounding mode.
#pragma once

#include <tuple>

#include "emulator/isa/row.h"

namespace {

template <Real T>
T nearestEven(T x) {
    const T f = std::floor(x), d = x - f, h = f * T(0.5);
    return std::copysign(f + T(d > T(0.5) || (d == T(0.5) && h != std::floor(h))), x);
}

constexpr std::tuple kRoundingRows{
    row(Opcode::frc, "frc", exact, [](Real auto a) { return a - std::floor(a); }),
    row(Opcode::rndu, "rndu", exact, [](Real auto a) { return std::ceil(a); }),
    row(Opcode::rndd, "rndd", exact, [](Real auto a) { return std::floor(a); }),
    row(Opcode::rnde, "rnde", exact, [](Real auto a) { return nearestEven(a); }),
    row(Opcode::rndz, "rndz", exact, [](Real auto a) { return std::trunc(a); }),
};

}  // namespace
