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
struct Eighth {
    std::uint8_t bits;
};  // hf8: four bits of exponent, three of fraction; no infinity, and one number that is none
struct Tensor {
    std::uint32_t bits;
};  // tf32: an f with ten bits of fraction
template <class T>
concept Narrow = std::same_as<T, Half> || std::same_as<T, Brain> || std::same_as<T, Quarter> ||
    std::same_as<T, Eighth> || std::same_as<T, Tensor>;

inline float toFloat(Half h) {  // exact, denormals included; a NaN becomes quiet, as by the processor's own conversion
    const std::uint32_t sign = std::uint32_t(h.bits & 0x8000) << 16;
    const std::uint32_t rest = h.bits & 0x7fff;
    const float small = float(int(rest)) * 0x1p-24f;
    const std::uint32_t quiet = rest > 0x7c00 ? 0x400000 : 0;
    const std::uint32_t normal = ((rest << 13) + (rest >= 0x7c00 ? 0x70000000u : 0x38000000u)) | quiet;
    return std::bit_cast<float>(sign | (rest < 0x400 ? std::bit_cast<std::uint32_t>(small) : normal));
}
inline float toFloat(Brain b) { return std::bit_cast<float>(std::uint32_t(b.bits) << 16); }
inline float toFloat(Quarter q) { return toFloat(Half{std::uint16_t(q.bits << 8)}); }
inline float toFloat(Eighth e) {
    const std::uint32_t sign = std::uint32_t(e.bits & 0x80) << 24;
    const std::uint32_t rest = e.bits & 0x7f;
    const float small = float(int(rest)) * 0x1p-9f;
    const std::uint32_t normal = rest == 0x7f ? 0x7fc00000 : (rest << 20) + (120u << 23);
    return std::bit_cast<float>(sign | (rest < 8 ? std::bit_cast<std::uint32_t>(small) : normal));
}
inline float toFloat(Tensor t) { return std::bit_cast<float>(t.bits & 0xffffe000); }

/// The bit layout of a float of the host.
template <class F>
struct FloatBits;
template <>
struct FloatBits<float> {
    using Word = std::uint32_t;
    static constexpr int kFraction = 23;
    static constexpr Word kBias = 127;
};
template <>
struct FloatBits<double> {
    using Word = std::uint64_t;
    static constexpr int kFraction = 52;
    static constexpr Word kBias = 1023;
};

// Rounds once, in the host's mode: adding a number whose last place is the half's last place drops the other bits.
// Finite values beyond the range are replaced by one that rounds to infinity or to the largest number, depending on the
// mode. The replacement keeps one bit of the value, or compilers would round a constant in their own mode.
template <std::floating_point F>
Half toHalf(F f) {
    using Bits = FloatBits<F>;
    using Word = typename Bits::Word;
    constexpr int dropped = Bits::kFraction - 10;
    constexpr Word signBit = Word{1} << (8 * sizeof(F) - 1);
    constexpr Word exponents = Word{2 * Bits::kBias + 1} << Bits::kFraction;
    constexpr Word smallest = (Bits::kBias - 14) << Bits::kFraction;  // 2^-14
    constexpr Word infinite = (Bits::kBias + 16) << Bits::kFraction;  // 2^16
    const F magnitude = std::fabs(f);
    const Word beyond = std::bit_cast<Word>(F(65528)) | (std::bit_cast<Word>(f) & 1);
    const F bounded = std::copysign(magnitude < F(65528) ? magnitude : std::bit_cast<F>(beyond), f);
    const Word u = std::bit_cast<Word>(bounded);
    const Word sign = u & signBit;
    const Word exponent = u & exponents;
    const F big =
        std::bit_cast<F>(sign | ((exponent < smallest ? smallest : exponent) + (Word{dropped} << Bits::kFraction)));
    const F rounded = (bounded + big) - big;
    const Word r = std::bit_cast<Word>(rounded) & ~signBit;
    const auto small = std::uint32_t(int(std::min(std::fabs(rounded), F(0x1p-14)) * F(0x1p24)));
    const auto normal = std::uint32_t((r - ((Bits::kBias - 15) << Bits::kFraction)) >> dropped);
    std::uint32_t bits = r < smallest ? small : r >= infinite ? 0x7c00 : normal;
    if (magnitude > std::numeric_limits<F>::max()) bits = 0x7c00;
    if (f != f) bits = 0x7e00 | std::uint32_t(std::bit_cast<Word>(f) >> dropped & 0x1ff);
    return {std::uint16_t(std::uint32_t(sign >> (8 * sizeof(F) - 16)) | bits)};
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
/// Nearest even; what is beyond the range becomes no number.
[[gnu::noinline]] inline Eighth toEighth(float f) {
    const std::uint32_t u = std::bit_cast<std::uint32_t>(f);
    const std::uint32_t sign = u >> 24 & 0x80;
    const float magnitude = std::fabs(f);
    if (!(magnitude < 464)) return {std::uint8_t(sign | 0x7f)};
    if (magnitude < 0x1p-6f) {
        const float places = magnitude * 0x1p9f;
        const auto whole = std::uint32_t(places);
        const float part = places - float(int(whole));
        return {std::uint8_t(sign | (whole + (part > 0.5f || (part == 0.5f && whole % 2 != 0))))};
    }
    const std::uint32_t rest = u & 0x7fffffff;
    return {std::uint8_t(sign | (((rest + 0x7ffff + (rest >> 20 & 1)) >> 20) - (120u << 3)))};
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
    else if constexpr (std::same_as<To, Eighth>)
        return toEighth(static_cast<float>(v));
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
