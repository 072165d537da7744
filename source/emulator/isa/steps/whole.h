// Whole numbers held by doubles, as integers, without conversions that some hosts have for one lane only.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace {

/// Added to a whole number, it leaves an integer in the low bits. The sum is exact in every rounding mode.
inline constexpr double kToLowBits = 0x1.8p52;

inline double nearestWhole(double x) { return std::floor(x + 0.5); }
inline std::uint64_t lowBitsOf(double whole) { return std::bit_cast<std::uint64_t>(whole + kToLowBits); }
/// 0 for -1023, infinity for 1024.
inline double powerOfTwo(double whole) {
    constexpr std::uint64_t kBias = 1023;
    return std::bit_cast<double>((lowBitsOf(whole) + kBias) << 52);
}
inline double within(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

}  // namespace
