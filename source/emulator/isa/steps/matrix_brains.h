// Products of matrices of bf by an instruction that not all hosts with AVX-512 have.
//
// Included only by steps.cpp.
#pragma once

#include "emulator/isa/steps/matrix_pairs.h"

namespace {

#if defined(__AVX512BW__)
#define ZETL_BRAIN_PRODUCTS [[gnu::target("avx512bf16")]]

/// The instruction makes the bits of BrainPairs where it rounds to nearest and meets no denormals, of which it makes
/// zeros. Elements of 2^-56 and more are multiples of 2^-63, so that sums of two products are no denormals.
struct BrainProducts {
    const std::uint32_t* columns;
    const std::uint32_t* rows;

    bool areUsable() const {
        return __builtin_cpu_supports("avx512bf16") && (_mm_getcsr() & _MM_ROUND_MASK) == _MM_ROUND_NEAREST &&
               areLarge();
    }
    ZETL_BRAIN_PRODUCTS [[gnu::noinline]] void add(const float* before, float* after) const {
        Reals all[kMaxRows];
        for (unsigned r = 0; r < kMaxRows; ++r) all[r] = vectorAt<Reals>(before + r * kColumns);
        ZETL_ROLLED
        for (unsigned k = 0; k < kSystolicDepth; ++k) {
            const auto column = vectorAt<Dwords>(columns + k * kColumns);
            for (unsigned r = 0; r < kMaxRows; ++r)
                all[r] += sumsOfProducts(every(rows[r * kSystolicDepth + k]), column);
        }
        for (unsigned r = 0; r < kMaxRows; ++r) std::memcpy(after + r * kColumns, &all[r], sizeof all[r]);
    }

  private:
    /// Negative zero is what changes no product.
    ZETL_BRAIN_PRODUCTS static Reals sumsOfProducts(Dwords a, Dwords b) {
        return _mm512_dpbf16_ps(every(-0.0f), __m512bh(b), __m512bh(a));
    }
    /// Whether all elements are 2^-56 or more, or zero.
    bool areLarge() const {
        constexpr std::uint16_t kLeast = (127 - 56) << 7;
        Words least = ~Words{};
        const auto see = [&](const std::uint32_t* at, unsigned dwords) {
            for (unsigned i = 0; i < dwords; i += kVectorDwords) {
                const auto w = vectorAt<Words>(at + i);
                least = Words(_mm512_min_epu16(__m512i(least), __m512i(w + w - 1)));  // of zero the greatest number
            }
        };
        see(columns, kSystolicDepth * kColumns);
        see(rows, kSystolicDepth * kMaxRows);
        return _mm512_cmplt_epu16_mask(__m512i(least), _mm512_set1_epi16(2 * kLeast - 1)) == 0;
    }
};
#endif

inline void addReals(BrainPairs kind, Thread& t, const Step* m, const float* before, float* after) {
#if defined(__AVX512BW__)
    const BrainProducts products{source<std::uint32_t>(t, m->src[1]), source<std::uint32_t>(t, m->src[2])};
    if (m->chunks == kMaxRows && products.areUsable()) return products.add(before, after);
#endif
    addPairs(t, m, kind, kind, before, after);
}

}  // namespace
