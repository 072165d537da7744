// Integers of the reference: a sign and 128 bits, which hold every sum and product of three operands of 64 bits.
#pragma once

#include <cstdint>

#include "emulator/isa/instruction_set.h"

namespace zetl::test::reference {

using Magnitude = unsigned __int128;

struct Integer {
    Magnitude magnitude = 0;
    bool negative = false;

    static Integer of(__int128 v) { return {v < 0 ? Magnitude(0) - Magnitude(v) : Magnitude(v), v < 0}; }
    bool isNegative() const { return negative && magnitude != 0; }
    /// The low 128 bits in two's complement.
    Magnitude bits() const { return negative ? Magnitude(0) - magnitude : magnitude; }
    std::uint64_t low() const { return static_cast<std::uint64_t>(bits()); }
};
inline Integer operator-(Integer a) { return {a.magnitude, !a.negative}; }
inline Integer operator*(Integer a, Integer b) { return {a.magnitude * b.magnitude, a.negative != b.negative}; }
inline Integer operator+(Integer a, Integer b) {
    if (a.negative == b.negative) return {a.magnitude + b.magnitude, a.negative};
    if (a.magnitude >= b.magnitude) return {a.magnitude - b.magnitude, a.negative};
    return {b.magnitude - a.magnitude, b.negative};
}
inline Integer operator-(Integer a, Integer b) { return a + -b; }
/// Towards minus infinity, as a shift to the right of two's complement does.
inline Integer operator>>(Integer a, unsigned n) {
    if (!a.isNegative()) return {a.magnitude >> n, false};
    return {((a.magnitude - 1) >> n) + 1, true};
}
inline bool operator<(Integer a, Integer b) { return (a - b).isNegative(); }
inline bool operator==(Integer a, Integer b) { return (a - b).magnitude == 0; }

inline unsigned bitsOf(emulator::isa::DataType type) { return emulator::isa::byteSize(type) * 8; }
inline std::uint64_t maskOf(unsigned bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

/// The value of `bits` as a whole number of that many bits.
inline Integer integerOf(std::uint64_t bits, unsigned width, bool isSigned) {
    const std::uint64_t low = bits & maskOf(width);
    if (!isSigned || !(low >> (width - 1) & 1)) return {low, false};
    return {(Magnitude(1) << width) - low, true};
}
inline Integer integerOf(std::uint64_t bits, emulator::isa::DataType type) {
    return integerOf(bits, bitsOf(type), emulator::isa::isSigned(type));
}

/// The numbers that a type holds.
struct Range {
    Integer low;
    Integer high;

    static Range of(emulator::isa::DataType type) {
        const bool isSigned = emulator::isa::isSigned(type);
        const Magnitude top = Magnitude(1) << (bitsOf(type) - (isSigned ? 1 : 0));
        return {isSigned ? Integer{top, true} : Integer{}, {top - 1, false}};
    }
    bool holds(Integer v) const { return !(v < low) && !(high < v); }
    Integer nearest(Integer v) const { return v < low ? low : high < v ? high : v; }
};

}  // namespace zetl::test::reference
