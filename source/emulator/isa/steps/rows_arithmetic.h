// Rows: sums and products.
#pragma once

#include <tuple>

#include "emulator/isa/steps/row.h"

namespace {

using zetl::emulator::isa::kAdd3SaturatedRow;
using zetl::emulator::isa::kAddSaturatedRow;
using zetl::emulator::isa::kBorrowRow;
using zetl::emulator::isa::kCarryRow;
using zetl::emulator::isa::kMacSaturatedRow;
using zetl::emulator::isa::kMadSaturatedRow;
using zetl::emulator::isa::kMulSaturatedRow;
using zetl::emulator::isa::kSaturatesToUnsigned;

/// The byte at a bit of a word, in 32 bits throughout, so that lanes stay lanes; `sign`: 0x80 if it is signed, else 0.
inline int byteAt(std::uint32_t word, int bit, std::uint32_t sign) {
    const std::uint32_t byte = word >> bit & 0xff;
    return static_cast<int>(byte - ((byte & sign) << 1));
}
/// Four byte products; bit 0 and 1 of `kinds`: first and second factor signed.
inline int byteProducts(std::uint32_t b, std::uint32_t c, int kinds) {
    const std::uint32_t sb = kinds & 1 ? 0x80 : 0;
    const std::uint32_t sc = kinds & 2 ? 0x80 : 0;
    return byteAt(b, 0, sb) * byteAt(c, 0, sc) + byteAt(b, 8, sb) * byteAt(c, 8, sc) +
           byteAt(b, 16, sb) * byteAt(c, 16, sc) + byteAt(b, 24, sb) * byteAt(c, 24, sc);
}
/// Lanes of 64 bits saturate in their row, since no wider type is left to clamp in afterwards.
template <class T>
concept Lane64 = Int<T> && sizeof(T) == 8;
template <class T>
using Exact = std::conditional_t<Signed<T>, __int128, unsigned __int128>;
/// Clamps to the range of T, or to that of a uq, whose bits the result then has.
template <class T>
T saturated(Exact<T> v, Option range) {
    constexpr Exact<T> top = std::numeric_limits<std::uint64_t>::max();
    const bool isUnsigned = range.value & kSaturatesToUnsigned;
    const Exact<T> low = isUnsigned ? Exact<T>(0) : Exact<T>(std::numeric_limits<T>::min());
    const Exact<T> high = isUnsigned ? top : Exact<T>(std::numeric_limits<T>::max());
    return T(v < low ? low : v > high ? high : v);
}

/// The second operand of a sum or product, or the first one if that is a NaN. Of two NaNs the host keeps its first
/// operand's, and compilers exchange operands; of this pair, both orders give the same NaN. Host code relies on it.
template <class T>
T behind(T first, T second) {
    if constexpr (Real<T>)
        return first != first ? first : second;
    else
        return second;
}
template <class T>
T sum(T a, T b) {
    return a + behind(a, b);
}
template <class T>
T product(T a, T b) {
    return a * behind(a, b);
}
/// Hosts look at the factors' NaNs before the addend's.
template <class T>
T productSum(T a, T b, T c) {
    if constexpr (Real<T>)
        return std::fma(b, behind(b, c), a);
    else
        return a + b * c;
}

inline constexpr std::tuple kArithmeticRows{
    row(Opcode::add, "add", exact, [](auto a, auto b) { return sum(a, b); }),
    row(Opcode::mul, "mul", exact, [](auto a, auto b) { return product(a, b); }),
    row(Opcode::avg, "avg", exact, []<Lane64 T>(T a, T b) { return (a | b) - ((a ^ b) >> 1); }),
    row(
        Opcode::mac, "mac", exact,
        []<class T>(T a, T b, T acc) requires(Real<T> || Lane64<T>) { return sum(acc, product(a, b)); }),
    row(Opcode::mach, "mach", exact,
        [](Long auto a, Long auto b, Long auto acc) { return acc + (a * (b >> 16) << 16); }),
    row(Opcode::macl, "macl", exact,
        [](Word32 auto a, Word32 auto b, Word32 auto acc) { return acc + (a * (b >> 16) << 16); }),
    row(Opcode::addc, "addc", exact, [](Bits auto a, Bits auto b) { return a + b; }),
    row(Opcode::subb, "subb", exact, [](Bits auto a, Bits auto b) { return a - b; }),
    row(kCarryRow, "addc.carry", exact, [](Bits auto a, Bits auto b) { return decltype(a)(a + b) < a; }),
    row(kBorrowRow, "subb.borrow", exact, [](Bits auto a, Bits auto b) { return a < b; }),
    row(kAddSaturatedRow, "add.sat", exact,
        []<Lane64 T>(T a, T b, Option range) { return saturated<T>(Exact<T>(a) + b, range); }),
    row(kAdd3SaturatedRow, "add3.sat", exact,
        []<Lane64 T>(T a, T b, T c, Option range) { return saturated<T>(Exact<T>(a) + b + c, range); }),
    row(kMulSaturatedRow, "mul.sat", exact,
        []<Lane64 T>(T a, T b, Option range) { return saturated<T>(Exact<T>(a) * b, range); }),
    row(kMacSaturatedRow, "mac.sat", exact,
        []<Lane64 T>(T a, T b, T acc, Option range) { return saturated<T>(acc + Exact<T>(a) * b, range); }),
    row(kMadSaturatedRow, "mad.sat", exact,
        []<Lane64 T>(T a, T b, T c, Option range) { return saturated<T>(a + Exact<T>(b) * c, range); }),
    row(Opcode::add3, "add3", exact, [](auto a, auto b, auto c) { return sum(sum(a, b), c); }),
    row(Opcode::mad, "mad", exact, [](auto a, auto b, auto c) { return productSum(a, b, c); }),
    row(Opcode::madm, "madm", approximate, []<Real T>(T a, T b, T c) { return productSum(a, b, c); }),
    row(Opcode::dp4a, "dp4a", exact,
        [](Int auto a, Int auto b, Int auto c, Option kinds) {
            return a + byteProducts(std::uint32_t(b), std::uint32_t(c), kinds.value);
        }),
};

}  // namespace
