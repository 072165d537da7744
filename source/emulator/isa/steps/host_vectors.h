// The widest vectors that a table of steps may use, for steps that compilers do not turn into vector code.
//
// Included only by steps.cpp.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "emulator/isa/steps/number.h"

/// A loop whose values fit the host's registers only if it is not unrolled.
#ifdef __clang__
#define ZETL_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define ZETL_ROLLED _Pragma("GCC unroll 1")
#endif

namespace {

#if defined(__AVX512BW__)
inline constexpr unsigned kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr unsigned kVectorBytes = 32;
#else
inline constexpr unsigned kVectorBytes = 16;
#endif
inline constexpr unsigned kVectorDwords = kVectorBytes / sizeof(std::uint32_t);
typedef float Reals __attribute__((vector_size(kVectorBytes)));
typedef std::uint32_t Dwords __attribute__((vector_size(kVectorBytes)));
typedef std::uint16_t Words __attribute__((vector_size(kVectorBytes)));

template <class V>
V vectorAt(const void* at) {
    V v;
    std::memcpy(&v, at, sizeof v);
    return v;
}

#if defined(__AVX512BW__)
inline Reals every(float v) { return _mm512_set1_ps(v); }
inline Reals fused(Reals a, Reals b, Reals c) { return _mm512_fmadd_ps(a, b, c); }
/// Sums of the two products of words in each dword.
inline Dwords productsOfWords(Dwords a, Dwords b) { return Dwords(_mm512_madd_epi16(__m512i(a), __m512i(b))); }
/// The halves in the lower words. GCC 12 warns of the forms without a mask.
inline Reals lowerHalves(Dwords v) {
    constexpr __mmask16 kAll = 0xffff;
    return _mm512_maskz_cvtph_ps(kAll, _mm512_maskz_cvtepi32_epi16(kAll, __m512i(v)));
}
#elif defined(__AVX2__)
inline Reals every(float v) { return _mm256_set1_ps(v); }
inline Reals fused(Reals a, Reals b, Reals c) { return _mm256_fmadd_ps(a, b, c); }
inline Dwords productsOfWords(Dwords a, Dwords b) { return Dwords(_mm256_madd_epi16(__m256i(a), __m256i(b))); }
inline Reals lowerHalves(Dwords v) {
    const auto lower = __m256i(v & 0xffff);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(lower, lower), 0b1000);
    return _mm256_cvtph_ps(_mm256_castsi256_si128(packed));
}
#else
inline Reals every(float v) { return _mm_set1_ps(v); }
/// Rounds once, as processors do that have an instruction for it, if factors have at most twelve digits: the products
/// are exact in double precision, and to round a sum of two floats in double precision first changes nothing.
inline Reals fused(Reals a, Reals b, Reals c) {
    const auto rounded = [](__m128d x, __m128d y, __m128d z) { return _mm_cvtpd_ps(_mm_add_pd(_mm_mul_pd(x, y), z)); };
    const auto low = [](Reals v) { return _mm_cvtps_pd(v); };
    const auto high = [](Reals v) { return _mm_cvtps_pd(_mm_movehl_ps(v, v)); };
    return _mm_movelh_ps(rounded(low(a), low(b), low(c)), rounded(high(a), high(b), high(c)));
}
inline Dwords productsOfWords(Dwords a, Dwords b) { return Dwords(_mm_madd_epi16(__m128i(a), __m128i(b))); }
inline Reals lowerHalves(Dwords v) {
    Reals values;
    for (unsigned i = 0; i < kVectorDwords; ++i) values[i] = toFloat(Half{std::uint16_t(v[i])});
    return values;
}
#endif
inline Dwords every(std::uint32_t v) { return v + Dwords{}; }

}  // namespace
