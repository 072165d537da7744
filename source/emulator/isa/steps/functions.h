// The mathematics unit's functions of floats.
//
// They are computed in double precision, in which every float is a normal number, without branches, tables, fused
// products and the host's library. So all builds and hosts make the same bits, and loops over lanes become vector code.
// Series end where the next term is below 2^-40 of the result. Rounding to float, and to denormals or zero, is left to
// the conversion at the end and follows the thread's mode.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include "emulator/isa/steps/angle.h"
#include "emulator/isa/steps/number.h"
#include "emulator/isa/steps/series.h"
#include "emulator/isa/steps/whole.h"

namespace {

template <class T>
inline constexpr T kInfinity = std::numeric_limits<T>::infinity();
inline constexpr float kIndefinite = std::bit_cast<float>(0xffc00000);  // what the host makes of invalid operands

/// 2^x. In every mode it is infinite or zero beyond the range of doubles.
inline double exponential2(double x) {
    const double bounded = within(x, -1023, 1024);
    const double whole = nearestWhole(bounded);
    return sumOf(exponentialSeries<11>(kLn2), bounded - whole) * powerOfTwo(whole);
}

/// e^x, as a power of two and what is missing, which is precise even where that is little.
struct Exponential {
    double power;
    double rest;
};
inline Exponential exponential(double x) {
    constexpr double kUpperLn2 = 0x1.62e42feep-1;  // nine bits of a multiple fit behind it
    constexpr double kLowerLn2 = 0x1.a39ef35793c76p-33;
    const double bounded = within(x, -300, 300);
    const double whole = nearestWhole(bounded * (1 / kLn2));
    const double part = bounded - whole * kUpperLn2 - whole * kLowerLn2;
    const double power = powerOfTwo(whole);
    return {power, power * part * sumOf(growthSeries<11>(), part)};
}

/// Of positive numbers whose exponents have ten bits.
inline double logarithm2(double x) {
    constexpr auto kRootOfHalf = std::bit_cast<std::uint64_t>(0x1.6a09e667f3bcdp-1);
    constexpr std::uint64_t kFraction = 0x000fffffffffffff;
    constexpr std::uint64_t kBias = 1024;
    constexpr auto kBiased = std::bit_cast<std::uint64_t>(kToLowBits);
    const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) + ((kBias << 52) - kRootOfHalf);
    const double part = std::bit_cast<double>((shifted & kFraction) + kRootOfHalf);  // between the roots of 1/2 and 2
    const double exponent = std::bit_cast<double>(kBiased + (shifted >> 52)) - (kToLowBits + kBias);
    const double y = (part - 1) / (part + 1);
    return exponent + y * sumOf(logarithmSeries<8>(), y * y);
}

inline float mathLog(float a) {
    const auto sum = static_cast<float>(logarithm2(a));
    const float finite = sum == 0 ? 0 : sum;  // rounding down makes it -0
    const float quiet = a + a;
    const float other = a == 0 ? -kInfinity<float> : a < 0 ? kIndefinite : quiet;
    return a > 0 && a < kInfinity<float> ? finite : other;
}
inline float mathExp(float a) { return static_cast<float>(exponential2(a)); }
inline float mathPow(float a, float b) {
    const double base = std::fabs(a);
    const double other = base == 0 ? -kInfinity<double> : base;  // infinite, or no number
    const double logarithm = base > 0 && base < kInfinity<double> ? logarithm2(base) : other;
    const auto power = static_cast<float>(exponential2(b * logarithm));
    return std::fabs(a) == 1 || b == 0 ? 1 : power;
}
/// Not std::copysign(): Clang rounds what it makes before it sets the sign, as if no mode rounded by the sign.
inline double withSignOf(double sign, double magnitude) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(magnitude) & ~kSign) |
                                 (std::bit_cast<std::uint64_t>(sign) & kSign));
}

inline float mathTanh(float a) {
    const double x = a;
    const auto [power, rest] = exponential(2 * std::fabs(x));
    const double grown = rest + (power - 1);  // e^2x - 1
    const double ratio = std::fabs(x) == kInfinity<double> ? 1 : grown / (grown + 2);
    return static_cast<float>(withSignOf(x, ratio));
}
inline float mathSigm(float a) {
    const double x = a;
    const auto [power, rest] = exponential(-x);
    const double ratio = 1 / (1 + (power + rest));
    return static_cast<float>(x == kInfinity<double> ? 1 : x == -kInfinity<double> ? 0 : ratio);
}

/// sin, and cos as the sine of a quarter more. A row with lanes that take another way, see steps/compute.h.
struct Sine {
    std::uint64_t quarters;

    float operator()(std::same_as<float> auto a) const {
        const double x = a;
        const double sine = of(nearAngle(x));
        const double zero = std::copysign(0.0, x);  // rounding down would make 0 negative
        return static_cast<float>(x == 0 && quarters == 0 ? zero : sine);
    }
    static bool isRare(std::same_as<float> auto a) { return isFarAngle(a); }
    [[gnu::noinline]] float rare(float a) const { return static_cast<float>(of(farAngle(a))); }

    double operator()(std::same_as<double> auto a) const { return quarters == 0 ? std::sin(a) : std::cos(a); }

  private:
    double of(Angle angle) const { return sineOf({angle.quarters + quarters, angle.rest}); }
};

}  // namespace
