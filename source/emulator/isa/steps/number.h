// Values of operand types and the one conversion between all of them.
//
// Included only by steps.cpp, which is compiled once for each host instruction set: everything has internal linkage,
// since the linker might otherwise keep a function from the wrong build.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <utility>

namespace {

template <class T>
concept Int = std::integral<T>;
template <class T>
concept Real = std::floating_point<T>;
template <class T>
concept Word32 = std::same_as<T, std::uint32_t> || std::same_as<T, std::int32_t>;
template <class T>
concept Bits = std::unsigned_integral<T>;
template <class T>
concept Signed = std::signed_integral<T>;
template <class T>
concept Long = std::same_as<T, std::int64_t>;

struct Half {
    std::uint16_t bits;
};
struct Brain {
    std::uint16_t bits;
};  // bf: the upper half of an f
struct Quarter {
    std::uint8_t bits;
};  // bf8: the upper half of an hf
struct Tensor {
    std::uint32_t bits;
};  // tf32: an f with ten bits of fraction
template <class T>
concept Narrow = std::same_as<T, Half> || std::same_as<T, Brain> || std::same_as<T, Quarter> || std::same_as<T, Tensor>;

inline float toFloat(Half h) {  // exact, denormals included
    const std::uint32_t sign = std::uint32_t(h.bits & 0x8000) << 16;
    const std::uint32_t rest = h.bits & 0x7fff;
    const float small = float(int(rest)) * 0x1p-24f;
    const std::uint32_t normal = (rest << 13) + (rest >= 0x7c00 ? 0x70000000u : 0x38000000u);
    return std::bit_cast<float>(sign | (rest < 0x400 ? std::bit_cast<std::uint32_t>(small) : normal));
}
inline float toFloat(Brain b) { return std::bit_cast<float>(std::uint32_t(b.bits) << 16); }
inline float toFloat(Quarter q) { return toFloat(Half{std::uint16_t(q.bits << 8)}); }
inline float toFloat(Tensor t) { return std::bit_cast<float>(t.bits & 0xffffe000); }

// Rounds once, as the host's mode says: adding a number whose last place is the half's last place drops the other bits.
// Finite values beyond the range are brought to one that rounds to infinity or to the largest number, as the mode says.
inline Half toHalf(double f) {
    constexpr std::uint64_t smallest = 0x3f10000000000000;  // 2^-14
    constexpr std::uint64_t infinite = 0x40f0000000000000;  // 2^16
    const double magnitude = std::fabs(f);
    const double bounded = std::copysign(magnitude < 65528.0 ? magnitude : 65528.0, f);
    const std::uint64_t u = std::bit_cast<std::uint64_t>(bounded);
    const std::uint64_t sign = u & 0x8000000000000000;
    const std::uint64_t exponent = u & 0x7ff0000000000000;
    const double big = std::bit_cast<double>(sign | ((exponent < smallest ? smallest : exponent) + (42ull << 52)));
    const double rounded = (bounded + big) - big;
    const std::uint64_t r = std::bit_cast<std::uint64_t>(rounded) & 0x7fffffffffffffff;
    const auto small = std::uint32_t(int(std::min(std::fabs(rounded), 0x1p-14) * 0x1p24));
    std::uint32_t bits = r < smallest ? small : r >= infinite ? 0x7c00 : std::uint32_t((r - 0x3f00000000000000) >> 42);
    if (magnitude > std::numeric_limits<double>::max()) bits = 0x7c00;
    if (f != f) bits = 0x7e00 | std::uint32_t(std::bit_cast<std::uint64_t>(f) >> 42 & 0x1ff);
    return {std::uint16_t(sign >> 48 | bits)};
}
inline Half toHalf(float f) {
    constexpr std::uint32_t smallest = 0x38800000;
    constexpr std::uint32_t infinite = 0x47800000;
    const float magnitude = std::fabs(f);
    const float bounded = std::copysign(magnitude < 65528.0f ? magnitude : 65528.0f, f);
    const std::uint32_t u = std::bit_cast<std::uint32_t>(bounded);
    const std::uint32_t sign = u & 0x80000000;
    const std::uint32_t exponent = u & 0x7f800000;
    const float big = std::bit_cast<float>(sign | ((exponent < smallest ? smallest : exponent) + (13u << 23)));
    const float rounded = (bounded + big) - big;
    const std::uint32_t r = std::bit_cast<std::uint32_t>(rounded) & 0x7fffffff;
    const auto small = std::uint32_t(int(std::min(std::fabs(rounded), 0x1p-14f) * 0x1p24f));
    std::uint32_t bits = r < smallest ? small : r >= infinite ? 0x7c00 : (r - 0x38000000) >> 13;
    if (magnitude > std::numeric_limits<float>::max()) bits = 0x7c00;
    if (f != f) bits = 0x7e00 | (std::bit_cast<std::uint32_t>(f) >> 13 & 0x1ff);
    return {std::uint16_t(sign >> 16 | bits)};
}
inline Brain toBrain(float f) {  // nearest even
    const std::uint32_t u = std::bit_cast<std::uint32_t>(f);
    return {std::uint16_t(f != f ? (u >> 16 | 0x40) : (u + 0x7fff + (u >> 16 & 1)) >> 16)};
}
/// Nearest even. Only hf becomes bf8, so the half is exact.
[[gnu::noinline]] inline Quarter toQuarter(float f) {
    const std::uint32_t u = toHalf(f).bits;
    return {std::uint8_t(f != f ? (u >> 8 | 2) : (u + 0x7f + (u >> 8 & 1)) >> 8)};
}
/// Nearest even; denormals become zero.
inline Tensor toTensor(float f) {
    const std::uint32_t u = std::bit_cast<std::uint32_t>(f);
    const std::uint32_t exponent = u & 0x7f800000;
    const std::uint32_t rounded = (u + 0xfff + (u >> 13 & 1)) & 0xffffe000;
    return {f != f ? ((u | 0x400000) & 0xffffe000) : exponent == 0 ? u & 0x80000000 : rounded};
}

/// Float to integer truncates, clamps to the destination's range and makes NaN zero; integers keep their low bits.
template <class To, class From>
To to(From v) {
    if constexpr (Narrow<From>)
        return to<To>(toFloat(v));
    else if constexpr (std::same_as<To, Half>) {
        if constexpr (std::same_as<From, double>)
            return toHalf(v);
        else
            return toHalf(static_cast<float>(v));
    } else if constexpr (std::same_as<To, Brain>)
        return toBrain(static_cast<float>(v));
    else if constexpr (std::same_as<To, Quarter>)
        return toQuarter(static_cast<float>(v));
    else if constexpr (std::same_as<To, Tensor>)
        return toTensor(static_cast<float>(v));
    else if constexpr (Int<To> && Real<From>) {
        using L = std::numeric_limits<To>;
        constexpr From low = From(L::min());
        constexpr From high = From(L::max());
        const From inside = v > low ? v < high ? v : From(0) : From(0);
        To r = static_cast<To>(inside);
        r = v >= high ? L::max() : r;
        return v <= low ? L::min() : r;
    } else
        return static_cast<To>(v);
}

}  // namespace
