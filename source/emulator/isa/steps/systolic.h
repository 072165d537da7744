// dpas: D = C + A * B on whole registers. A (src2) is stored row by row, one row per repetition; a column of B (src1)
// is in the lane with its number, dword below dword.
//
// Step: src[0] C, src[1] B, src[2] A, dst D; chunks rows; value number of elements summed for a result, kind how many
// of them one stage adds; extra 1 if C is zero; size and stride the integers of B and A, see PackedIntegers.
#pragma once

#include <cmath>
#include <limits>

#include "emulator/isa/scaled_matrices.h"
#include "emulator/isa/steps/matrix_brains.h"
#include "emulator/isa/steps/matrix_bytes.h"

namespace {

inline constexpr unsigned kMaxDepth = 64;  // elements of a dot product

/// Packed elements by value: element k of a dword. Products of floating-point elements are exact in double.
struct PackedIntegers {
    using Value = std::int32_t;
    static constexpr unsigned kStage = 0;
    std::uint8_t shape;  ///< bits of an element, plus 16 if it is signed
    unsigned bits() const { return shape & 15; }
    Value operator()(std::uint32_t word, unsigned k) const {
        const unsigned unused = 32 - bits();
        const std::uint32_t top = word << (unused - k * bits());
        return shape & 16 ? std::int32_t(top) >> unused : std::int32_t(top >> unused);
    }
};
template <class T, unsigned Bits>
struct PackedReals {
    using Value = double;
    static constexpr unsigned kStage = 32 / Bits;
    std::uint8_t shape;
    static constexpr unsigned bits() { return Bits; }
    Value operator()(std::uint32_t word, unsigned k) const {
        using U = std::conditional_t<Bits == 16, std::uint16_t, std::uint32_t>;
        return toFloat(T{U(word >> Bits % 32 * k)});
    }
};
/// bf8 and, with 16, hf8; e2m1 if they have four bits.
struct PackedSmall {
    using Value = double;
    static constexpr unsigned kStage = 0;
    std::uint8_t shape;
    unsigned bits() const { return shape & 15; }
    /// Not inline: GCC 14 would write it out eight times.
    [[gnu::noinline]] Value operator()(std::uint32_t word, unsigned k) const {
        const auto raw = std::uint8_t(word >> k * bits() & ((1u << bits()) - 1));
        if (bits() == 4) {
            constexpr double kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
            return raw & 8 ? -kValues[raw & 7] : kValues[raw & 7];
        }
        return shape & 16 ? toFloat(Eighth{raw}) : toFloat(Quarter{raw});
    }
};
using PackedHalves = PackedReals<Half, 16>;
using PackedBrains = PackedReals<Brain, 16>;
using PackedTensors = PackedReals<Tensor, 32>;

template <class Packed>
struct Factors {
    typename Packed::Value rows[kMaxRows][kMaxDepth];
    typename Packed::Value columns[kMaxDepth][kColumns];
};
template <class Packed>
[[gnu::noinline]] void unpack(Thread& t, const Step* m, Factors<Packed>& f) {
    const Packed b{m->size};
    const Packed a{m->stride};
    const auto columns = source<std::uint32_t>(t, m->src[1]);
    const auto rows = source<std::uint32_t>(t, m->src[2]);
    const auto depth = unsigned(m->value);
    const auto inB = 32 / b.bits();
    const auto inA = 32 / a.bits();
    for (unsigned k = 0; k < depth; ++k)
        for (unsigned i = 0; i < kColumns; ++i) f.columns[k][i] = b(columns[k / inB * kColumns + i], k % inB);
    for (unsigned r = 0; r < m->chunks; ++r)
        for (unsigned k = 0; k < depth; k += inA) {
            const std::uint32_t word = rows[(r * depth + k) / inA];
            for (unsigned e = 0; e < inA; ++e) f.rows[r][k + e] = a(word, e);
        }
}

/// Sums are rounded after each stage.
template <class Packed>
using SumsOf = Sums<std::conditional_t<Int<typename Packed::Value>, std::int32_t, float>>;

/// Adds the products of one row to its sums, stage by stage. `Count`: products per stage, or 0 if `count` has that.
template <unsigned Count, class Value, class Sum>
[[gnu::noinline]] void addProducts(const Value* row, const Value (*b)[kColumns], unsigned depth, unsigned count,
                                   Sum* sums) {
    typedef Value Columns __attribute__((vector_size(kColumns * sizeof(Value))));  // GCC would transpose a loop
    for (unsigned k = 0; k < depth; k += Count != 0 ? Count : count) {
        Columns dot = {};
        for (unsigned e = 0; e < (Count != 0 ? Count : count); ++e) {
            Columns factors;
            std::memcpy(&factors, b[k + e], sizeof factors);
            dot += row[k + e] * factors;
        }
        ZETL_INDEPENDENT
        for (unsigned i = 0; i < kColumns; ++i) sums[i] = Sum(Value(sums[i]) + dot[i]);
    }
}
template <class Packed>
void accumulate(const Step* m, const Factors<Packed>& f, SumsOf<Packed>& sums) {
    for (unsigned r = 0; r < m->chunks; ++r)
        addProducts<Packed::kStage>(f.rows[r], f.columns, unsigned(m->value), m->kind, sums.rows[r]);
}

inline bool areBytes(const Step* m) {
    return PackedIntegers{m->size}.bits() == 8 && PackedIntegers{m->stride}.bits() == 8 &&
           m->value == 4 * kSystolicDepth;
}
inline const Step* multiplyIntegers(Thread& t, const Step* m) {
    if (areBytes(m)) {
        using U = std::uint32_t;
        changeSums<U, U, U>(t, m, [&](const U* before, U* after) { addBytes(t, m, before, after); });
        return m + 1;
    }
    Factors<PackedIntegers> f;
    Sums<std::int32_t> sums;
    unpack(t, m, f);
    loadSums<std::int32_t>(t, m, sums);
    accumulate(m, f, sums);
    storeSums<std::int32_t>(t, m, sums);
    return m + 1;
}
/// C and D have elements of these types.
template <class Kind, class C, class D>
const Step* multiplyPairs(Thread& t, const Step* m) {
    changeSums<C, D, float>(t, m, [&](const float* before, float* after) { addReals(Kind{}, t, m, before, after); });
    return m + 1;
}
template <class Packed, class C, class D>
const Step* multiplyMatrices(Thread& t, const Step* m) {
    Factors<Packed> f;
    SumsOf<Packed> sums;
    unpack(t, m, f);
    loadSums<C>(t, m, sums);
    accumulate(m, f, sums);
    storeSums<D>(t, m, sums);
    return m + 1;
}

/// Exponents of E8M0: a power of two, or no number.
inline double scaleAt(Thread& t, std::uint32_t place) {
    const auto exponent = t.at<std::uint8_t>(place);
    return exponent == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, exponent - 127);
}
/// bdpas: each column of B and each row of A has a scale; of elements of four bits one for each half of them.
template <class Packed, class C, class D>
const Step* multiplyScaled(Thread& t, const Step* m) {
    constexpr unsigned kBlock = 32;
    const ScaledMatrices scales = ScaledMatrices::of(*m);
    const Step plain = scales.plain(*m);
    Factors<Packed> f;
    SumsOf<Packed> sums;
    unpack(t, &plain, f);
    for (unsigned k = 0; k < unsigned(m->value); ++k) {
        const unsigned half = k / kBlock * kBlock;
        if (scales.columns != ScaledMatrices::kNone)
            for (unsigned i = 0; i < kColumns; ++i) f.columns[k][i] *= scaleAt(t, scales.columns + half + i);
        if (scales.rows != ScaledMatrices::kNone)
            for (unsigned r = 0; r < kMaxRows; ++r) f.rows[r][k] *= scaleAt(t, scales.rows + half + r);
    }
    loadSums<C>(t, &plain, sums);
    accumulate(&plain, f, sums);
    storeSums<D>(t, &plain, sums);
    return m + 1;
}

template <class Packed, class Narrow>
constexpr void addScaledMatrices(Handler (&h)[2][2]) {
    h[0][0] = multiplyScaled<Packed, float, float>;
    h[0][1] = multiplyScaled<Packed, float, Narrow>;
    h[1][0] = multiplyScaled<Packed, Narrow, float>;
    h[1][1] = multiplyScaled<Packed, Narrow, Narrow>;
}
template <class Kind, class Narrow>
constexpr void addPairedMatrices(Handler (&h)[2][2]) {
    h[0][0] = multiplyPairs<Kind, float, float>;
    h[0][1] = multiplyPairs<Kind, float, Narrow>;
    h[1][0] = multiplyPairs<Kind, Narrow, float>;
    h[1][1] = multiplyPairs<Kind, Narrow, Narrow>;
}
template <class Packed, class Narrow>
constexpr void addMatrices(Handler (&h)[2][2]) {
    h[0][0] = multiplyMatrices<Packed, float, float>;
    h[0][1] = multiplyMatrices<Packed, float, Narrow>;
    h[1][0] = multiplyMatrices<Packed, Narrow, float>;
    h[1][1] = multiplyMatrices<Packed, Narrow, Narrow>;
}
constexpr void addSystolic(StepTable& s) {
    s.systolic[0][0][0] = multiplyIntegers;
    addPairedMatrices<HalfPairs, Half>(s.systolic[1]);
    addPairedMatrices<BrainPairs, Brain>(s.systolic[2]);
    s.systolic[3][0][0] = multiplyMatrices<PackedTensors, float, float>;
    addMatrices<PackedSmall, Brain>(s.systolic[4]);
    addScaledMatrices<PackedHalves, Half>(s.scaledSystolic[0]);
    addScaledMatrices<PackedBrains, Brain>(s.scaledSystolic[1]);
    addScaledMatrices<PackedSmall, Brain>(s.scaledSystolic[2]);
}

}  // namespace
