// Numbers that are NaN, infinite or denormal, in the formats of floating-point numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isa/xe/data_type.h"

namespace zetl::emulator::check {

enum Special : std::uint8_t { kNan, kInfinity, kDenormal, kSpecials };

/// Lanes, a bit each, whose number is special, by Special.
using SpecialLanes = std::array<std::uint32_t, kSpecials>;

/// The bits of a number that hold its exponent and its fraction.
struct Format {
    std::uint64_t exponent;
    std::uint64_t fraction;
};
/// Of half, single or double precision.
constexpr Format formatOf(zetl::isa::xe::DataType type) noexcept {
    using zetl::isa::xe::DataType;
    if (type == DataType::hf) return {0x7c00, 0x3ff};
    if (type == DataType::f) return {0x7f80'0000, 0x7f'ffff};
    return {0x7ff0'0000'0000'0000, 0xf'ffff'ffff'ffff};
}

/// Adds the lane to those whose number is special, if these bits are.
inline void classify(std::uint64_t bits, const Format& format, std::uint32_t lane, SpecialLanes& special) noexcept {
    const std::uint64_t exponent = bits & format.exponent;
    const bool fraction = (bits & format.fraction) != 0;
    if (exponent == format.exponent) special[fraction ? kNan : kInfinity] |= 1u << lane;
    if (exponent == 0 && fraction) special[kDenormal] |= 1u << lane;
}

/// Whether one of the elements, unsigned integers with the bits of a number, is special. Written without comparisons,
/// so that compilers use vectors even where these have no comparison of 64 bits.
template <class Element>
bool hasSpecials(const std::byte* elements, std::uint32_t count, const Format& format) noexcept {
    const auto infinity = static_cast<Element>(format.exponent);
    const auto size = static_cast<Element>(format.exponent | format.fraction);
    const auto leastNormal = static_cast<Element>(format.fraction + 1);
    Element special = 0;  // its highest bit is set if one is
    for (std::uint32_t i = 0; i < count; ++i) {
        Element bits;
        std::memcpy(&bits, elements + i * sizeof bits, sizeof bits);
        bits = static_cast<Element>(bits & size);
        const auto isAboveFinite = static_cast<Element>(infinity - 1 - bits);
        const auto isBelowNormal = static_cast<Element>(bits - leastNormal);
        const auto isZero = static_cast<Element>(bits - 1);
        special = static_cast<Element>(special | isAboveFinite | (isBelowNormal & ~isZero));
    }
    return special >> (sizeof special * 8 - 1) != 0;
}

}  // namespace zetl::emulator::check
