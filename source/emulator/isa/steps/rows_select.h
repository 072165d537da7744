// Rows: selection by comparison. Selection by flag is the pick step.
#pragma once

#include <bit>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "emulator/isa/steps/row.h"

namespace {

using zetl::emulator::isa::kSelRows;

/// One of the two, selected by its bits: GCC 14 makes a minimum of the host's from a choice between floats, and that
/// takes denormals for zeros in some modes.
template <class T>
T chosen(bool first, T a, T b) {
    if constexpr (Real<T>) {
        using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        return std::bit_cast<T>(first ? std::bit_cast<Bits>(a) : std::bit_cast<Bits>(b));
    } else {
        return first ? a : b;
    }
}

// If one operand is a NaN, the other is the result.
template <class T>
T lesser(T a, T b) {
    return chosen(a == a && (b != b || a < b), a, b);
}
template <class T>
T greater(T a, T b) {
    return chosen(a == a && (b != b || a >= b), a, b);
}

inline constexpr std::tuple kSelectRows{
    row(Opcode::sel, "sel", exact,
        [](auto a, auto b, Option condition) { return chosen(holds(condition.value, a, b), a, b); }),
    row(kSelRows + 5, "sel.lt", exact, [](auto a, auto b) { return lesser(a, b); }),
    row(kSelRows + 4, "sel.ge", exact, [](auto a, auto b) { return greater(a, b); }),
    row(Opcode::csel, "csel", exact,
        [](auto a, auto b, auto c, Option condition) { return holds(condition.value, c, decltype(c)(0)) ? a : b; }),
};

}  // namespace
