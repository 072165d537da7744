// Sets of a cache, the latest used way first: finds a way and moves it to the front. Sets of sixteen ways use vectors:
// every host has SSE2, and AVX-512 if widest() says so.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace zetl::emulator::machine::cache_set {

inline constexpr std::uint32_t kWays = 16;  ///< the number of ways that vectors are made for

enum class Vectors : std::uint8_t { none, quarters, whole };
inline Vectors widest() noexcept { return __builtin_cpu_supports("avx512f") ? Vectors::whole : Vectors::quarters; }

/// For any number of ways.
struct Loop {
    std::uint32_t ways;
    /// The first way that holds this tag, not counting the bits of `without`, or the number of ways.
    std::uint32_t find(const std::uint32_t* set, std::uint32_t tag, std::uint32_t without) const noexcept {
        std::uint32_t way = 0;
        while (way < ways && (set[way] & ~without) != tag) ++way;
        return way;
    }
    /// Puts `tag` first; moves the ways before `way`, which is overwritten, back by one.
    void putFirst(std::uint32_t* set, std::uint32_t way, std::uint32_t tag) const noexcept {
        std::memmove(set + 1, set, way * sizeof *set);
        set[0] = tag;
    }
};

/// With vectors of four ways.
struct Quarters {
    static constexpr std::uint32_t ways = kWays;
    std::uint32_t find(const std::uint32_t* set, std::uint32_t tag, std::uint32_t without) const noexcept {
        const __m128i wanted = _mm_set1_epi32(static_cast<int>(tag));
        const __m128i kept = _mm_set1_epi32(static_cast<int>(~without));
        const auto equal = [&](int quarter) {
            const __m128i four = _mm_load_si128(reinterpret_cast<const __m128i*>(set) + quarter);
            return _mm_cmpeq_epi32(_mm_and_si128(four, kept), wanted);
        };
        const __m128i low = _mm_packs_epi32(equal(0), equal(1));
        const __m128i high = _mm_packs_epi32(equal(2), equal(3));
        const int found = _mm_movemask_epi8(_mm_packs_epi16(low, high));
        return static_cast<std::uint32_t>(std::countr_zero(static_cast<std::uint32_t>(found) | 1u << ways));
    }
    void putFirst(std::uint32_t* set, std::uint32_t way, std::uint32_t tag) const noexcept {
        auto* const four = reinterpret_cast<__m128i*>(set);
        const __m128i last = _mm_set1_epi32(static_cast<int>(way));
        __m128i before = _mm_set1_epi32(static_cast<int>(tag));  // its last element moves to the first place
        __m128i number = _mm_set_epi32(3, 2, 1, 0);
        for (int quarter = 0; quarter < 4; ++quarter) {
            const __m128i stays = _mm_cmpgt_epi32(number, last);
            const __m128i now = _mm_load_si128(four + quarter);
            const __m128i moved = _mm_or_si128(_mm_slli_si128(now, 4), _mm_srli_si128(before, 12));
            _mm_store_si128(four + quarter, _mm_or_si128(_mm_and_si128(stays, now), _mm_andnot_si128(stays, moved)));
            before = now;
            number = _mm_add_epi32(number, _mm_set1_epi32(4));
        }
    }
};

/// With one vector.
struct Whole {
    static constexpr std::uint32_t ways = kWays;
    [[gnu::target("avx512f")]] std::uint32_t find(const std::uint32_t* set, std::uint32_t tag,
                                                  std::uint32_t without) const noexcept {
        const __m512i all = _mm512_load_si512(set);
        const __m512i kept = _mm512_set1_epi32(static_cast<int>(~without));
        const std::uint32_t found =
            _mm512_cmpeq_epi32_mask(_mm512_and_si512(all, kept), _mm512_set1_epi32(static_cast<int>(tag)));
        return static_cast<std::uint32_t>(std::countr_zero(found | 1u << ways));
    }
    [[gnu::target("avx512f")]] void putFirst(std::uint32_t* set, std::uint32_t way, std::uint32_t tag) const noexcept {
        const __m512i all = _mm512_load_si512(set);
        const auto moving = static_cast<__mmask16>((2u << way) - 1);
        constexpr __mmask16 kAll = 0xffff;
        // Rotates by one, with the tag in the first place.
        const __m512i moved =
            _mm512_mask_set1_epi32(_mm512_maskz_alignr_epi32(kAll, all, all, 15), 1, static_cast<int>(tag));
        _mm512_store_si512(set, _mm512_mask_mov_epi32(all, moving, moved));
    }
};

}  // namespace zetl::emulator::machine::cache_set
