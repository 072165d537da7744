// hf values for references, computed the slow and obvious way: Clang has no half type for every processor.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace zetl::test {

inline double halfToDouble(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    const double sign = bits & 0x8000 ? -1.0 : 1.0;
    if (exponent == 31) return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

/// Rounds to nearest even, once.
inline std::uint16_t doubleToHalf(double v) {
    const std::uint16_t sign = std::signbit(v) ? 0x8000 : 0;
    if (std::isnan(v)) return 0x7e00;
    const double magnitude = std::fabs(v);
    if (magnitude >= 65520) return sign | 0x7c00;
    int exponent = -14;
    if (magnitude >= 0x1p-14) {
        std::frexp(magnitude, &exponent);
        --exponent;
    }
    const auto units =
        static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));  // of the last place
    const std::uint32_t biased = magnitude >= 0x1p-14 ? static_cast<std::uint32_t>(exponent + 15 - 1) << 10 : 0;
    return static_cast<std::uint16_t>(sign | (biased + units));
}

}  // namespace zetl::test
