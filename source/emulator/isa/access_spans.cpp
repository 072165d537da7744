#include "emulator/isa/access_spans.h"

#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace zetl::emulator::isa {
namespace {

constexpr std::uint32_t kHalfLanes = 16;

/// Whether sixteen lanes' addresses lie that far apart, each from the one before. With vectors of 16 bytes.
struct InQuarters {
    template <class Address>
    [[gnu::always_inline]] static inline bool lieApart(const std::byte* addresses, Address step) noexcept {
        constexpr std::uint32_t kAtOnce = 16 / sizeof(Address);
        using Several [[gnu::vector_size(16)]] = Address;
        Address first;
        std::memcpy(&first, addresses, sizeof first);
        // Made in a register: numbers that are stored one by one cannot be loaded as a vector at once.
        Several expected;
        if constexpr (kAtOnce == 2)
            expected = Several{first, first + step};
        else
            expected = Several{first, first + step, first + 2 * step, first + 3 * step};
        Several several;
        Several unequal{};
        for (std::uint32_t lane = 0; lane < kHalfLanes; lane += kAtOnce) {
            std::memcpy(&several, addresses + lane * sizeof(Address), sizeof several);
            unequal |= several ^ expected;
            expected += static_cast<Address>(kAtOnce * step);
        }
        Address any = 0;
        for (std::uint32_t i = 0; i < kAtOnce; ++i) any |= unequal[i];
        return any == 0;
    }
};

/// The same with vectors of 64 bytes. Lanes are compared with those behind them within registers: the thread has just
/// stored its addresses, and the host would wait until it could load them from another place. With masks, because GCC
/// 12 warns of what the others are made of.
struct AllAtOnce {
    [[gnu::target("avx512f")]] static bool lieApart(const std::byte* addresses, std::uint32_t step) noexcept {
        constexpr __mmask16 kWithNext = 0x7fff;
        const __m512i all = _mm512_loadu_si512(addresses);
        const __m512i steps = _mm512_sub_epi32(_mm512_maskz_alignr_epi32(kWithNext, all, all, 1), all);
        return _mm512_mask_cmpneq_epi32_mask(kWithNext, steps, _mm512_set1_epi32(static_cast<int>(step))) == 0;
    }
    [[gnu::target("avx512f")]] static bool lieApart(const std::byte* addresses, std::uint64_t step) noexcept {
        constexpr __mmask8 kAll = 0xff;
        constexpr __mmask8 kWithNext = 0x7f;
        const __m512i first = _mm512_loadu_si512(addresses);
        const __m512i second = _mm512_loadu_si512(addresses + sizeof first);
        const __m512i expected = _mm512_set1_epi64(static_cast<long long>(step));
        const __m512i firstSteps = _mm512_sub_epi64(_mm512_maskz_alignr_epi64(kAll, second, first, 1), first);
        const __m512i secondSteps = _mm512_sub_epi64(_mm512_maskz_alignr_epi64(kWithNext, second, second, 1), second);
        const unsigned unequal = _mm512_cmpneq_epi64_mask(firstSteps, expected);
        return (unequal | _mm512_mask_cmpneq_epi64_mask(kWithNext, secondSteps, expected)) == 0;
    }
};

/// Of one lane or sixteen.
template <class Compare, class Address>
[[gnu::always_inline]] inline std::optional<AccessSpan> spanOf(const std::byte* addresses, const AccessShape& shape,
                                                               std::uint32_t lanes) noexcept {
    Address first;
    std::memcpy(&first, addresses, sizeof first);
    std::uint32_t bytes = shape.bytes;
    if (lanes == kHalfLanes) {
        Address second;
        std::memcpy(&second, addresses + sizeof first, sizeof second);
        const Address step = second == first ? 0 : static_cast<Address>(shape.bytes);
        if (second - first != step || !Compare::lieApart(addresses, step)) return {};
        if (second != first) bytes *= lanes;
    }
    const auto begin = static_cast<Address>(first + static_cast<Address>(shape.offset));
    if (static_cast<Address>(begin + bytes) < begin) return {};
    return AccessSpan{begin, bytes};
}

template <class Compare, class Address>
[[gnu::always_inline]] inline AccessSpans spansBy(const std::byte* addresses, const AccessShape& shape,
                                                  std::uint32_t lanes) noexcept {
    AccessSpans all;
    const auto first = spanOf<Compare, Address>(addresses, shape, std::min(lanes, kHalfLanes));
    if (!first) return all;
    all.spans[0] = *first;
    all.count = 1;
    if (lanes <= kHalfLanes) return all;
    const auto second = spanOf<Compare, Address>(addresses + kHalfLanes * sizeof(Address), shape, kHalfLanes);
    if (!second) return {};
    if (second->address == first->address && second->bytes == first->bytes) return all;
    if (second->address == first->address + first->bytes)
        all.spans[0].bytes += second->bytes;
    else
        all.spans[all.count++] = *second;
    return all;
}

template <class Compare>
[[gnu::always_inline]] inline AccessSpans spansOfEither(const std::byte* addresses, const AccessShape& shape,
                                                        std::uint32_t lanes) noexcept {
    if (shape.addressBytes == sizeof(std::uint64_t)) return spansBy<Compare, std::uint64_t>(addresses, shape, lanes);
    if (shape.addressBytes == sizeof(std::uint32_t)) return spansBy<Compare, std::uint32_t>(addresses, shape, lanes);
    return {};
}

AccessSpans inQuarters(const std::byte* addresses, const AccessShape& shape, std::uint32_t lanes) noexcept {
    return spansOfEither<InQuarters>(addresses, shape, lanes);
}
[[gnu::target("avx512f")]] AccessSpans allAtOnce(const std::byte* addresses, const AccessShape& shape,
                                                 std::uint32_t lanes) noexcept {
    return spansOfEither<AllAtOnce>(addresses, shape, lanes);
}

}  // namespace

AccessSpans spansOf(const std::byte* addresses, const AccessShape& shape, std::uint32_t lanes) noexcept {
    static const auto widest = __builtin_cpu_supports("avx512f") ? allAtOnce : inQuarters;
    return widest(addresses, shape, lanes);
}

}  // namespace zetl::emulator::isa
