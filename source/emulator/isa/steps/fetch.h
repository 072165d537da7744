// Steps that bring a source to contiguous lanes of the computing type.
#pragma once

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include <cstring>

#include "emulator/isa/steps/lanes.h"

namespace {

#if defined(__F16C__)
/// hf lanes to f32 by the processor's own conversion, exact like toFloat().
inline void widenHalves(const Half* a, float* d, unsigned n) {
    for (unsigned i = 0; i < n; i += 8)
        _mm256_storeu_ps(d + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i))));
}
#endif

template <class S, class E, int Stride, bool Wide>
const Step* convert(Thread& t, const Step* m) {
    const auto a = source<S>(t, m->src[0]);
    const auto d = at<E>(t, m->dst);
    if constexpr (Stride == 0) {
        const E v = to<E>(S(*a));
        forLanes<Wide>(m, [=](unsigned i) { d[i] = v; });
#if defined(__F16C__)
    } else if constexpr (std::same_as<S, Half> && std::same_as<E, float> && Stride == 1 && Wide) {
        widenHalves(a, d, m->chunks * 16u);
#endif
    } else
        forLanes<Wide>(m, [=](unsigned i) { d[i] = to<E>(S(a[i * Stride])); });
    return m + 1;
}

enum : std::uint8_t { kAbsolute = 1, kNegate = 2, kComplement = 4 };

template <class E, bool Wide>
const Step* modify(Thread& t, const Step* m) {  // kind: which of the above, in this order
    const auto d = at<E>(t, m->dst);
    if (m->kind & kAbsolute) {
        if constexpr (Real<E>) forLanes<Wide>(m, [=](unsigned i) { d[i] = std::fabs(d[i]); });
        if constexpr (Signed<E>) forLanes<Wide>(m, [=](unsigned i) { d[i] = d[i] < 0 ? E(0 - d[i]) : d[i]; });
    }
    if (m->kind & kNegate) {
        if constexpr (Real<E>)
            forLanes<Wide>(m, [=](unsigned i) { d[i] = -d[i]; });
        else
            forLanes<Wide>(m, [=](unsigned i) { d[i] = E(0 - d[i]); });
    }
    if constexpr (Int<E>)
        if (m->kind & kComplement) forLanes<Wide>(m, [=](unsigned i) { d[i] = ~d[i]; });
    return m + 1;
}

/// Values in the range of hf denormals become zero unless cr0.0 bit 10 keeps them.
template <Real E>
const Step* flushHalf(Thread& t, const Step* m) {
    constexpr std::uint32_t kKeepHalfDenormals = 1 << 10;
    if (t.at<std::uint32_t>(layout::kControl) & kKeepHalfDenormals) return m + 1;
    const auto d = at<E>(t, m->dst);
    forLanes<true>(m, [=](unsigned i) { d[i] = std::fabs(d[i]) < E(0x1p-14) ? std::copysign(E(0), d[i]) : d[i]; });
    return m + 1;
}

/// Values that become integers are rounded in the current mode if cr0.0 bit 12 asks for it; otherwise they are
/// truncated later.
template <Real E>
const Step* roundToInteger(Thread& t, const Step* m) {
    constexpr std::uint32_t kRoundIntegers = 1 << 12;
    if (!(t.at<std::uint32_t>(layout::kControl) & kRoundIntegers)) return m + 1;
    const auto d = at<E>(t, m->dst);
    forLanes<true>(m, [=](unsigned i) { d[i] = std::nearbyint(d[i]); });
    return m + 1;
}

/// Raw bytes of element i of an operand that is not plain lanes: any region, or register-indirect.
/// kind: 0 direct, 1 one address, 2 one address per row; src[1]: offsets within the region; stride: lanes per row;
/// value: offset added to the address; extra: first address register; src[2]: the last one.
inline std::byte* element(Thread& t, const Step* m, std::uint32_t place, std::uint32_t i) {
    const std::uint32_t offset = reinterpret_cast<const std::uint16_t*>(m->src[1])[i];
    if (m->kind == 0) return t.state + place + offset;
    const std::uint32_t which = m->kind == 2 ? (m->extra + i / m->stride) & std::uint32_t(m->src[2]) : m->extra;
    const std::uint32_t base = t.at<std::uint16_t>(layout::kAddress + which * 2);
    return t.state + ((base + std::uint32_t(m->value) + offset) & (layout::kGrfBytes - 1));
}
inline const Step* gather(Thread& t, const Step* m) {
    for (std::uint32_t i = 0; i < m->chunks * 16u; ++i)
        if (m->mask.lanes >> i & 1)
            std::memcpy(t.state + m->dst + i * m->size, element(t, m, std::uint32_t(m->src[0]), i), m->size);
    return m + 1;
}
inline const Step* copy(Thread& t, const Step* m) {  // value bytes
    std::memmove(t.state + m->dst, t.state + m->src[0], std::uint32_t(m->value));
    return m + 1;
}

}  // namespace
