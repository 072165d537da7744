// Steps that bring lanes to a destination: saturation, flags, conversion under the mask.
#pragma once

#include <cstring>

#include "emulator/isa/steps/fetch.h"
#include "emulator/isa/steps/row.h"

namespace {

template <class E, class D>
const Step* clamp(Thread& t, const Step* m) {
    const auto d = at<E>(t, m->dst);
    forLanes<true>(m, [=](unsigned i) {
        E v = d[i];
        if constexpr (Int<D> && Int<E>) {
            using L = std::numeric_limits<D>;
            v = std::cmp_less(v, L::min()) ? E(L::min()) : std::cmp_greater(v, L::max()) ? E(L::max()) : v;
        } else if constexpr (Real<E> && !Int<D>)
            v = v > 0 ? v < 1 ? v : E(1) : E(0);
        d[i] = v;
    });
    return m + 1;
}
template <class E, class D>
const Step* narrow(Thread& t, const Step* m) {
    const auto d = at<E>(t, m->dst);
    forLanes<true>(m, [=](unsigned i) { d[i] = to<E>(to<D>(E(d[i]))); });
    return m + 1;
}

#if defined(__F16C__)
/// f32 lanes to hf by the processor's own conversion, in the current rounding mode.
template <bool Masked>
void narrowToHalves(const float* a, Half* d, unsigned n, std::uint32_t on) {
    for (unsigned i = 0; i < n; i += 8) {
        const __m128i r = _mm256_cvtps_ph(_mm256_loadu_ps(a + i), _MM_FROUND_CUR_DIRECTION);
        if constexpr (!Masked)
            _mm_storeu_si128(reinterpret_cast<__m128i*>(d + i), r);
        else {
            std::uint16_t lanes[8];
            _mm_storeu_si128(reinterpret_cast<__m128i*>(lanes), r);
            for (unsigned k = 0; k < 8; ++k) d[i + k].bits = on >> (i + k) & 1 ? lanes[k] : d[i + k].bits;
        }
    }
}
#endif

template <class E, class D, bool Masked, bool Wide>
const Step* retire(Thread& t, const Step* m) {
    const auto a = source<E>(t, m->src[0]);
    const auto d = at<D>(t, m->dst);
    std::uint32_t on = Masked ? lanesOn(t, m->mask) : m->mask.lanes;
    if constexpr (!Wide) {
        if (on & 1) *d = to<D>(E(*a));
        return m + 1;
    }
    if (m->stride == 1) {
#if defined(__F16C__)
        if constexpr (std::same_as<E, float> && std::same_as<D, Half>) {
            narrowToHalves<Masked>(a, d, m->chunks * 16u, on);
            return m + 1;
        }
#endif
        forLanes<Wide>(m, [=](unsigned i) {
            if (!Masked || on >> i & 1) d[i] = to<D>(E(a[i]));
        });
    } else if (!Masked && sizeof(D) == 4 && m->stride == 2) {
        forLanes<Wide>(m, [=](unsigned i) { d[i * 2] = to<D>(E(a[i])); });
    } else {
        for (; on; on &= on - 1) {
            const int i = std::countr_zero(on);
            d[i * m->stride] = to<D>(E(a[i]));
        }
    }
    return m + 1;
}
inline const Step* scatter(Thread& t, const Step* m) {  // raw lanes of `size` bytes to an indirect destination
    for (std::uint32_t on = lanesOn(t, m->mask); on; on &= on - 1) {
        const auto i = std::uint32_t(std::countr_zero(on));
        std::memcpy(element(t, m, m->dst, i), t.state + m->src[0] + i * m->size, m->size);
    }
    return m + 1;
}

/// Compare conditions as StepTable numbers them.
template <int Condition, class E>
bool compares(E a, E b) {
    if constexpr (Condition == kUnorderedCompare)
        return a != a || b != b;
    else if constexpr (Condition > kOrNan)
        return holds<E>(Condition - kOrNan, a, b) || b != b;
    else
        return holds<E>(Condition, a, b);
}
template <int Condition, class E, bool Wide>
const Step* compare(Thread& t, const Step* m) {
    const auto a = source<E>(t, m->src[0]);
    const auto b = source<E>(t, m->src[1]);
    std::uint32_t bits = 0;
    const unsigned n = Wide ? m->chunks * 16u : 1;
    for (unsigned i = 0; i < n; ++i) bits |= std::uint32_t(compares<Condition, E>(a[i], b[i])) << i;
    const std::uint32_t on = lanesOn(t, m->mask);
    const std::uint32_t shift = m->mask.shift + (m->mask.flag & 1) * 16u;
    auto& f = t.at<std::uint32_t>(layout::kFlags + (m->mask.flag >> 1) * 4u);
    f = (f & ~(on << shift)) | (bits & on) << shift;
    return m + 1;
}
inline const Step* spread(Thread& t, const Step* m) {  // a compare's flag bits as all-ones or zero, 64 bits wide
    const std::uint32_t f = t.at<std::uint32_t>(layout::kFlags + (m->mask.flag >> 1) * 4u) >>
                            ((m->mask.shift + (m->mask.flag & 1) * 16u) & 31);
    const auto d = at<std::int64_t>(t, m->dst);
    for (int i = 0; i < 32; ++i) d[i] = -std::int64_t(f >> i & 1);
    return m + 1;
}

}  // namespace
