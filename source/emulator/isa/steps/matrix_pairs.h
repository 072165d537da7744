// Products of matrices whose dwords hold pairs: two reals of 16 bits, or four bytes as two pairs of words.
//
// Included only by steps.cpp.
#pragma once

#include "emulator/isa/steps/host_vectors.h"
#include "emulator/isa/steps/matrix_sums.h"

namespace {

/// `lower` and `upper` are what a dword holds; a stage adds the products of both to a sum.
template <class Lanes>
struct Pairs {
    Lanes lower;
    Lanes upper;
};

/// The product of the upper reals, plus that of the lower ones, plus the sum: rounded three times.
struct RealPairs {
    using Lanes = Reals;
    using Sum = float;
    static Reals stage(Reals sum, Pairs<float> row, const Pairs<Reals>& column) {
        return sum + fused(every(row.lower), column.lower, every(row.upper) * column.upper);
    }
};
struct BrainPairs : RealPairs {
    Pairs<Reals> operator()(Dwords v) const { return {Reals(v << 16), Reals(v & 0xffff0000)}; }
};
struct HalfPairs : RealPairs {
    Pairs<Reals> operator()(Dwords v) const { return {lowerHalves(v), lowerHalves(v >> 16)}; }
};

/// Bytes 0 and 2, and bytes 1 and 3, as words. Sums of integers are the same in any order.
struct BytePairs {
    using Lanes = Dwords;
    using Sum = std::uint32_t;
    std::uint32_t signs;  ///< of the words' lower bytes
    explicit BytePairs(bool isSigned) : signs(isSigned ? 0x800080 : 0) {}
    Pairs<Dwords> operator()(Dwords v) const { return {extended(v), extended(v >> 8)}; }
    static Dwords stage(Dwords sum, Pairs<std::uint32_t> row, const Pairs<Dwords>& column) {
        return sum + productsOfWords(every(row.lower), column.lower) + productsOfWords(every(row.upper), column.upper);
    }

  private:
    Dwords extended(Dwords v) const {
        const auto s = Words(every(signs));
        return Dwords((Words(v & 0x00ff00ff) ^ s) - s);
    }
};

/// All rows of A in pairs, by dword.
template <class Kind>
struct PairedRows {
    static constexpr unsigned kDwords = kMaxRows * kSystolicDepth;
    typename Kind::Sum lower[kDwords];
    typename Kind::Sum upper[kDwords];

    PairedRows(Kind kind, const std::uint32_t* a, unsigned rows) {
        for (unsigned i = 0; i < rows * kSystolicDepth; i += kVectorDwords) {
            const auto pairs = kind(vectorAt<Dwords>(a + i));
            std::memcpy(lower + i, &pairs.lower, sizeof pairs.lower);
            std::memcpy(upper + i, &pairs.upper, sizeof pairs.upper);
        }
    }
    Pairs<typename Kind::Sum> operator[](unsigned dword) const { return {lower[dword], upper[dword]}; }
};

/// Adds the products of rows from `first` on. Their sums stay in registers of the host.
template <unsigned Rows, class Kind>
[[gnu::noinline]] void addRows(Kind b, const std::uint32_t* columns, const PairedRows<Kind>& a, unsigned first,
                               const typename Kind::Sum* before, typename Kind::Sum* after) {
    for (unsigned i = first * kColumns; i < (first + 1) * kColumns; i += kVectorDwords) {
        typename Kind::Lanes all[Rows];
        for (unsigned r = 0; r < Rows; ++r) all[r] = vectorAt<typename Kind::Lanes>(before + r * kColumns + i);
        ZETL_ROLLED
        for (unsigned k = 0; k < kSystolicDepth; ++k) {
            const auto column = b(vectorAt<Dwords>(columns + k * kColumns + i % kColumns));
            for (unsigned r = 0; r < Rows; ++r)
                all[r] = Kind::stage(all[r], a[(first + r) * kSystolicDepth + k], column);
        }
        for (unsigned r = 0; r < Rows; ++r) std::memcpy(after + r * kColumns + i, &all[r], sizeof all[r]);
    }
}
template <class Kind, class Sum = typename Kind::Sum>
void addPairs(Thread& t, const Step* m, Kind b, Kind a, const Sum* before, Sum* after) {
    const auto columns = source<std::uint32_t>(t, m->src[1]);
    const PairedRows<Kind> rows(a, source<std::uint32_t>(t, m->src[2]), m->chunks);
    if (m->chunks == kMaxRows) return addRows<kMaxRows>(b, columns, rows, 0, before, after);
    for (unsigned r = 0; r < m->chunks; ++r) addRows<1>(b, columns, rows, r, before, after);
}

inline void addReals(HalfPairs kind, Thread& t, const Step* m, const float* before, float* after) {
    addPairs(t, m, kind, kind, before, after);
}

}  // namespace
