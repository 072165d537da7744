// Rows: selection by comparison. Selection by flag is the pick step.
#pragma once

#include <tuple>

#include "emulator/isa/steps/row.h"

namespace {

using zetl::emulator::isa::kSelRows;

// With one NaN the other operand is the result.
template <class T>
T lesser(T a, T b) {
    if constexpr (Real<T>)
        return a != a ? b : b != b ? a : a < b ? a : b;
    else
        return a < b ? a : b;
}
template <class T>
T greater(T a, T b) {
    if constexpr (Real<T>)
        return a != a ? b : b != b ? a : a >= b ? a : b;
    else
        return a >= b ? a : b;
}

inline constexpr std::tuple kSelectRows{
    row(Opcode::sel, "sel", exact,
        [](auto a, auto b, Option condition) { return holds(condition.value, a, b) ? a : b; }),
    row(kSelRows + 5, "sel.lt", exact, [](auto a, auto b) { return lesser(a, b); }),
    row(kSelRows + 4, "sel.ge", exact, [](auto a, auto b) { return greater(a, b); }),
    row(Opcode::csel, "csel", exact,
        [](auto a, auto b, auto c, Option condition) { return holds(condition.value, c, decltype(c)(0)) ? a : b; }),
};

}  // namespace
