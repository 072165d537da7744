// Rows: fractions and rounding to whole numbers. None of them depends on the rounding mode.
#pragma once

#include <tuple>

#include "emulator/isa/steps/row.h"

namespace {

template <Real T>
T nearestEven(T x) {
    const T f = std::floor(x);
    const T d = x - f;
    const T h = f * T(0.5);
    return std::copysign(f + T(d > T(0.5) || (d == T(0.5) && h != std::floor(h))), x);
}

/// The bits of a float after random bits were added to its lowest `dropped` bits, which do not fit the narrower type.
/// The carry reaches the exponent by itself, at most to infinity; infinity and NaN stay.
inline std::uint32_t stochastically(std::uint32_t bits, std::uint32_t random, int dropped, std::uint32_t infinity) {
    const bool special = (bits & infinity) == infinity;
    const std::uint32_t raised = bits + (random & ((1u << dropped) - 1));
    const std::uint32_t sign = bits & (infinity + (infinity & (0 - infinity)));
    return special ? bits : (raised & infinity) == infinity ? sign | infinity : raised;
}
/// Rounds towards zero: stochastic rounding has already added its share.
inline std::uint32_t truncatedHalf(std::uint32_t f) {
    const std::uint32_t sign = f >> 16 & 0x8000;
    const std::uint32_t rest = f & 0x7fffffff;
    if (rest > 0x7f800000) return sign | 0x7e00 | (rest >> 13 & 0x1ff);
    if (rest >= 0x47800000) return sign | 0x7c00;
    if (rest >= 0x38800000) return sign | (rest - 0x38000000) >> 13;
    const std::uint32_t shift = 126 - (rest >> 23);  // hf denormals: multiples of 2^-24
    return sign | (shift > 24 ? 0 : ((rest & 0x7fffff) | 0x800000) >> shift);
}

inline constexpr std::tuple kRoundingRows{
    row(Opcode::srnd, "srnd", exact,
        [](Word32 auto a, Word32 auto random, Option fromHalf) {
            if (!fromHalf.value) return decltype(a)(truncatedHalf(stochastically(a, random, 13, 0x7f800000)));
            const std::uint32_t h = stochastically(a, random, 8, 0x7c00);
            return decltype(a)(h >> 8 | ((h & 0x7fff) > 0x7c00 ? 2 : 0));
        }),
    row(Opcode::frc, "frc", exact, [](Real auto a) { return a - std::floor(a); }),
    row(Opcode::rndu, "rndu", exact, [](Real auto a) { return std::ceil(a); }),
    row(Opcode::rndd, "rndd", exact, [](Real auto a) { return std::floor(a); }),
    row(Opcode::rnde, "rnde", exact, [](Real auto a) { return nearestEven(a); }),
    row(Opcode::rndz, "rndz", exact, [](Real auto a) { return std::trunc(a); }),
};

}  // namespace
