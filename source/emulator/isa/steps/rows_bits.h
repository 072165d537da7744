// Rows: boolean functions, shifts, bit counts and bit fields.
#pragma once

#include <tuple>

#include "emulator/isa/steps/rows_arithmetic.h"

namespace {

using zetl::emulator::isa::kRolByteRow;
using zetl::emulator::isa::kRolShortRow;
using zetl::emulator::isa::kRorByteRow;
using zetl::emulator::isa::kRorShortRow;
using zetl::emulator::isa::kShlSaturatedRow;

template <Int T>
int leadingZeros(T v) {
    return std::countl_zero(static_cast<std::make_unsigned_t<T>>(v));
}
template <Int T>
int firstHigh(T v) {
    if (std::signed_integral<T> && v < 0) v = ~v;
    return v ? leadingZeros(v) : -1;
}
template <Bits T>
T reversed(T v) {
    T r = 0;
    for (int k = 0; k < 32; ++k) r |= (v >> k & 1) << (31 - k);
    return r;
}
/// Bit s0 + 2 * s1 + 4 * s2 of `function`, bit by bit: a tree of seven selections.
template <Bits T>
T booleanFunction(T s0, T s1, T s2, std::uint8_t function) {
    const auto leaf = [&](int k) {
        const T zero = T(0) - T(function >> k & 1);
        const T one = T(0) - T(function >> (k + 1) & 1);
        return zero ^ (s0 & (zero ^ one));
    };
    const T low = leaf(0);
    const T lowOne = leaf(2);
    const T high = leaf(4);
    const T highOne = leaf(6);
    const T without = low ^ (s1 & (low ^ lowOne));
    const T with = high ^ (s1 & (high ^ highOne));
    return without ^ (s2 & (without ^ with));
}
template <Word32 T>
T extractField(T width, T offset, T v) {
    const int n = width & 31;
    const int s = offset & 31;
    if (n == 0) return 0;
    return n + s < 32 ? T(v << (32 - n - s)) >> (32 - n) : T(v >> s);
}
template <class T>
T shiftMask() {
    return sizeof(T) * 8 - 1;
}

/// One step of a linear feedback shift register of so many bits, in each part of a dword: to the right, as Galois does
/// it. The direction is not published.
inline std::uint32_t shiftedRegisters(std::uint32_t seed, std::uint32_t polynomial, int bits) {
    const std::uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    std::uint32_t result = 0;
    for (int at = 0; at < 32; at += bits) {
        const std::uint32_t x = seed >> at & mask;
        result |= (x >> 1 ^ ((x & 1) != 0 ? polynomial >> at & mask : 0)) << at;
    }
    return result;
}

inline constexpr std::tuple kBitRows{
    row(Opcode::bitNot, "not", exact, [](Bits auto a) { return ~a; }),
    row(Opcode::bitAnd, "and", exact, [](Bits auto a, Bits auto b) { return a & b; }),
    row(Opcode::bitOr, "or", exact, [](Bits auto a, Bits auto b) { return a | b; }),
    row(Opcode::bitXor, "xor", exact, [](Bits auto a, Bits auto b) { return a ^ b; }),
    row(Opcode::bfn, "bfn", exact,
        [](Bits auto a, Bits auto b, Bits auto c, Option f) { return booleanFunction(a, b, c, f.value); }),
    row(Opcode::shr, "shr", exact, [](Bits auto a, Bits auto n) { return a >> (n & shiftMask<decltype(a)>()); }),
    row(Opcode::shl, "shl", exact, [](Bits auto a, Bits auto n) { return a << (n & shiftMask<decltype(a)>()); }),
    row(kShlSaturatedRow, "shl.sat", exact,
        []<Lane64 T>(T a, T n, Option counts) { return saturated<T>(Exact<T>(a) << (n & counts.value & 63), counts); }),
    row(Opcode::asr, "asr", exact, [](Signed auto a, Signed auto n) { return a >> (n & shiftMask<decltype(a)>()); }),
    row(Opcode::ror, "ror", exact,
        [](Bits auto a, Bits auto n) { return std::rotr(a, int(n & shiftMask<decltype(a)>())); }),
    row(Opcode::rol, "rol", exact,
        [](Bits auto a, Bits auto n) { return std::rotl(a, int(n & shiftMask<decltype(a)>())); }),
    row(kRorShortRow, "ror.16", exact,
        [](Word32 auto a, Word32 auto n) { return decltype(a)(std::rotr(std::uint16_t(a), int(n & 15))); }),
    row(kRolShortRow, "rol.16", exact,
        [](Word32 auto a, Word32 auto n) { return decltype(a)(std::rotl(std::uint16_t(a), int(n & 15))); }),
    row(kRorByteRow, "ror.8", exact,
        [](Word32 auto a, Word32 auto n) { return decltype(a)(std::rotr(std::uint8_t(a), int(n & 7))); }),
    row(kRolByteRow, "rol.8", exact,
        [](Word32 auto a, Word32 auto n) { return decltype(a)(std::rotl(std::uint8_t(a), int(n & 7))); }),
    row(Opcode::lfsr, "lfsr", approximate,
        [](Word32 auto seed, Word32 auto polynomial, Option size) {
            return decltype(seed)(
                shiftedRegisters(std::uint32_t(seed), std::uint32_t(polynomial), 32 >> (size.value & 3)));
        }),
    row(Opcode::lzd, "lzd", exact, [](Word32 auto a) { return leadingZeros(a); }),
    row(Opcode::fbh, "fbh", exact, [](Word32 auto a) { return firstHigh(a); }),
    row(Opcode::fbl, "fbl", exact, [](Word32 auto a) { return a ? std::countr_zero(std::uint32_t(a)) : -1; }),
    row(Opcode::cbit, "cbit", exact, [](Bits auto a) { return std::popcount(a); }),
    row(Opcode::bfrev, "bfrev", exact, [](Bits auto a) { return reversed(a); }),
    row(Opcode::bfe, "bfe", exact,
        [](Word32 auto width, Word32 auto offset, Word32 auto v) { return extractField(width, offset, v); }),
    row(Opcode::bfi1, "bfi1", exact,
        [](Bits auto width, Bits auto offset) { return ((decltype(width)(1) << (width & 31)) - 1) << (offset & 31); }),
    row(Opcode::bfi2, "bfi2", exact,
        [](Bits auto mask, Bits auto v, Bits auto old) {
            return (v << (mask ? std::countr_zero(mask) : 0) & mask) | (old & ~mask);
        }),
};

}  // namespace
