// Rows: the math unit, at least as precise as the hardware, but not bit for bit the same.
#pragma once

#include <tuple>

#include "emulator/isa/steps/functions.h"
#include "emulator/isa/steps/row.h"

namespace {

using zetl::emulator::isa::kMathRows;

// Of doubles the hardware computes no such functions: the host's library does.
/// For modes in which denormals are zeros: the library takes numbers apart, and would see the denormals.
inline double asRead(double v) { return v == 0 ? std::copysign(0.0, v) : v; }
inline double mathLog(double a) { return std::log2(asRead(a)); }
inline double mathExp(double a) { return std::exp2(a); }
inline double mathPow(double a, double b) { return std::pow(asRead(std::fabs(a)), asRead(b)); }
inline double mathTanh(double a) { return std::tanh(a); }
inline double mathSigm(double a) { return 1 / (1 + std::exp(-a)); }

// invm and rsqtm write the correctly rounded quotient and square root and report an early out for every lane, so the
// refinement that compilers place behind them never runs.
inline constexpr std::tuple kMathematicalRows{
    row(kMathRows + 1, "math.inv", approximate, [](Real auto a) { return 1 / a; }),
    row(kMathRows + 2, "math.log", approximate, [](Real auto a) { return mathLog(a); }),
    row(kMathRows + 3, "math.exp", approximate, [](Real auto a) { return mathExp(a); }),
    row(kMathRows + 4, "math.sqt", approximate, [](Real auto a) { return std::sqrt(a); }),
    row(kMathRows + 5, "math.rsqt", approximate, [](Real auto a) { return decltype(a)(1 / std::sqrt(double(a))); }),
    row(kMathRows + 6, "math.sin", approximate, Sine{0}),
    row(kMathRows + 7, "math.cos", approximate, Sine{1}),
    row(kMathRows + 9, "math.fdiv", approximate, [](Real auto a, Real auto b) { return a / b; }),
    row(kMathRows + 10, "math.pow", approximate, [](Real auto a, Real auto b) { return mathPow(a, b); }),
    row(kMathRows + 12, "math.iqot", exact,
        [](Word32 auto a, Word32 auto b) {
            using T = decltype(a);
            const bool overflow = Signed<T> && a == std::numeric_limits<T>::min() && b == T(-1);
            return b == 0 ? T(-1) : overflow ? a : T(a / b);
        }),
    row(kMathRows + 13, "math.irem", exact,
        [](Word32 auto a, Word32 auto b) {
            using T = decltype(a);
            return b == 0 ? a : Signed<T> && b == T(-1) ? T(0) : T(a % b);
        }),
    row(kMathRows + 14, "math.invm", exact, [](Real auto a, Real auto b) { return a / b; }),
    row(kMathRows + 15, "math.rsqtm", exact, [](Real auto a) { return std::sqrt(a); }),
    row(kMathRows + 16, "math.tanh", approximate, [](Real auto a) { return mathTanh(a); }),
    row(kMathRows + 17, "math.sigm", approximate, [](Real auto a) { return mathSigm(a); }),
};

}  // namespace
