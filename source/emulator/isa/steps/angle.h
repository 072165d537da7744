// Angles of sin and cos, reduced to an eighth of a turn around a whole number of quarters.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

#include "emulator/isa/steps/series.h"
#include "emulator/isa/steps/whole.h"

namespace {

struct Angle {
    std::uint64_t quarters;  ///< of a turn; the last two bits count
    double rest;             ///< radians
};

/// From here on, the multiples of a quarter that nearAngle() subtracts are no longer exact.
inline constexpr float kFarAngle = 0x1p19F;
inline bool isFarAngle(float x) {
    return std::fabs(x) >= kFarAngle && std::fabs(x) < std::numeric_limits<float>::infinity();
}

/// A quarter has 33 bits in its upper part, so that 20 bits of a multiple fit behind them.
inline Angle nearAngle(double x) {
    constexpr double kQuarter = 0x1.921fb544p0;
    constexpr double kRestOfQuarter = 0x1.0b4611a626331p-34;
    constexpr double kQuartersOfRadian = 0x1.45f306dc9c883p-1;
    const double whole = nearestWhole(x * kQuartersOfRadian);
    return {lowBitsOf(whole), x - whole * kQuarter - whole * kRestOfQuarter};
}

/// 128 bits of a number of quarters, the first two of them whole ones.
struct Quarters {
    std::uint64_t high;
    std::uint64_t low;
};
/// fraction * 2^exponent radians, as Payne and Hanek reduce them: of the quarters in a radian, only those bits are
/// multiplied that are neither whole turns of this angle nor too small to count.
inline Quarters quartersOf(std::uint64_t fraction, unsigned exponent) {
    constexpr std::uint32_t kQuartersOfRadian[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                                   0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};
    constexpr unsigned kWords = 4;
    constexpr unsigned kMostExponent = 104;  // of the largest float's last bit
    static_assert((kMostExponent - 2 + 32 + (kWords - 1) * 32) / 32 + 1 < std::size(kQuartersOfRadian));
    const unsigned first = exponent - 2 + 32;  // the first word has no bits
    std::uint64_t product[kWords];
    std::uint64_t carry = 0;
    for (unsigned k = kWords; k-- > 0;) {
        const unsigned bit = first + k * 32;
        const std::uint64_t two = std::uint64_t{kQuartersOfRadian[bit / 32]} << 32 | kQuartersOfRadian[bit / 32 + 1];
        carry += fraction * (two << bit % 32 >> 32);
        product[k] = carry & 0xffffffff;
        carry >>= 32;
    }
    return {product[0] << 32 | product[1], product[2] << 32 | product[3]};
}
inline Angle farAngle(float x) {
    constexpr double kQuarter = 0x1.921fb54442d18p0;
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    const std::uint64_t fraction = (bits & 0x7fffff) | 0x800000;
    const auto [high, low] = quartersOf(fraction, (bits >> 23 & 0xff) - 127 - 23);
    const auto rest = static_cast<std::int64_t>(high << 2 | low >> 62);  // of a quarter, from -1/2 to 1/2
    const auto beyond = static_cast<std::int64_t>(low << 2 >> 32);
    const double part = static_cast<double>(rest) * 0x1p-64 + static_cast<double>(beyond) * 0x1p-96;
    const Angle magnitude{(high >> 62) + (rest < 0), part * kQuarter};
    return bits >> 31 == 0 ? magnitude : Angle{-magnitude.quarters, -magnitude.rest};
}

inline double sineOf(Angle angle) {
    const double square = angle.rest * angle.rest;
    const double sine = angle.rest * sumOf(sineSeries<7>(), square);
    const double cosine = sumOf(cosineSeries<7>(), square);
    const double magnitude = (angle.quarters & 1) != 0 ? cosine : sine;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) ^ (angle.quarters & 2) << 62);
}

}  // namespace
