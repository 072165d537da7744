// Products of matrices of bytes by instructions that not all hosts with AVX-512 have.
//
// Included only by steps.cpp.
#pragma once

#include "emulator/isa/steps/matrix_pairs.h"

namespace {

#if defined(__AVX512BW__)
#define ZETL_DOT_PRODUCTS [[gnu::target("avx512vnni")]]

inline bool hasDotProducts() { return __builtin_cpu_supports("avx512vnni") != 0; }

/// The instruction wants the bytes of one side without sign. Signed ones of A get 128 more, and 128 times the sum of
/// B's column is taken away.
struct DotProducts {
    alignas(kVectorBytes) std::uint32_t rows[kMaxRows * kSystolicDepth];
    std::uint32_t offset;  ///< what was added to each byte of A

    DotProducts(const std::uint32_t* a, bool isSigned, unsigned count) : offset(isSigned ? 0x80808080 : 0) {
        for (unsigned i = 0; i < count * kSystolicDepth; ++i) rows[i] = a[i] ^ offset;
    }
    /// Sums of the products of bytes in each dword.
    ZETL_DOT_PRODUCTS static Dwords add(Dwords sum, Dwords unsignedBytes, Dwords signedBytes) {
        return Dwords(_mm512_dpbusd_epi32(__m512i(sum), __m512i(unsignedBytes), __m512i(signedBytes)));
    }
    template <unsigned Rows>
    ZETL_DOT_PRODUCTS [[gnu::noinline]] void addRows(const std::uint32_t* columns, unsigned first,
                                                     const std::uint32_t* before, std::uint32_t* after) const {
        Dwords all[Rows];
        Dwords excess = {};
        for (unsigned r = 0; r < Rows; ++r) all[r] = vectorAt<Dwords>(before + (first + r) * kColumns);
        ZETL_ROLLED
        for (unsigned k = 0; k < kSystolicDepth; ++k) {
            const auto column = vectorAt<Dwords>(columns + k * kColumns);
            excess = add(excess, every(offset), column);
            for (unsigned r = 0; r < Rows; ++r)
                all[r] = add(all[r], every(rows[(first + r) * kSystolicDepth + k]), column);
        }
        for (unsigned r = 0; r < Rows; ++r) {
            all[r] -= excess;
            std::memcpy(after + (first + r) * kColumns, &all[r], sizeof all[r]);
        }
    }
};
#endif

/// Size and stride of the step say whether the bytes of B and A are signed.
inline void addBytes(Thread& t, const Step* m, const std::uint32_t* before, std::uint32_t* after) {
    constexpr unsigned kSigned = 16;
#if defined(__AVX512BW__)
    if (m->size & kSigned && hasDotProducts()) {
        const auto columns = source<std::uint32_t>(t, m->src[1]);
        const DotProducts rows(source<std::uint32_t>(t, m->src[2]), m->stride & kSigned, m->chunks);
        if (m->chunks == kMaxRows) return rows.addRows<kMaxRows>(columns, 0, before, after);
        for (unsigned r = 0; r < m->chunks; ++r) rows.addRows<1>(columns, r, before, after);
        return;
    }
#endif
    addPairs(t, m, BytePairs(m->size & kSigned), BytePairs(m->stride & kSigned), before, after);
}

}  // namespace
