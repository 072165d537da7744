// Atomics on any surface, as real atomics of the host.
#pragma once

#include "emulator/isa/message_memory.h"

namespace {

/// Operations as LSC messages number them.
enum AtomicOp : uint8_t {
    kIncrement = 0x08,
    kDecrement,
    kAtomicLoad,
    kExchange,
    kAdd,
    kSubtract,
    kMinSigned,
    kMaxSigned,
    kMinUnsigned,
    kMaxUnsigned,
    kCompareExchange,
    kAddReal,
    kSubtractReal,
    kMinReal,
    kMaxReal,
    kCompareExchangeReal,
    kAnd,
    kOr,
    kXor,
    // legacy only
    kReverseSubtract = 0x40,
    kPreDecrement,
};

template <class U>
U updatedReal(int op, U old, U x, U y) {
    using F = std::conditional_t<sizeof(U) == 8, double, float>;
    const auto real = [](U v) -> F {
        if constexpr (sizeof(U) >= 4)
            return std::bit_cast<F>(v);
        else
            return toFloat(Half{uint16_t(v)});
    };
    const auto bits = [](F v) -> U {
        if constexpr (sizeof(U) >= 4)
            return std::bit_cast<U>(v);
        else
            return U(toHalf(v).bits);
    };
    const F was = real(old), operand = real(x);
    switch (op) {
        case kAddReal:
            return bits(was + operand);
        case kSubtractReal:
            return bits(was - operand);
        case kMinReal:
            return operand < was || was != was ? x : old;
        case kMaxReal:
            return operand > was || was != was ? x : old;
        default:
            return was == operand ? y : old;
    }
}
template <class U>
U updated(int op, U old, U x, U y) {
    using S = std::make_signed_t<U>;
    switch (op) {
        case kIncrement:
            return U(old + 1);
        case kDecrement:
        case kPreDecrement:
            return U(old - 1);
        case kAtomicLoad:
            return old;
        case kExchange:
            return x;
        case kAdd:
            return U(old + x);
        case kSubtract:
            return U(old - x);
        case kReverseSubtract:
            return U(x - old);
        case kMinSigned:
            return S(old) < S(x) ? old : x;
        case kMaxSigned:
            return S(old) > S(x) ? old : x;
        case kMinUnsigned:
            return old < x ? old : x;
        case kMaxUnsigned:
            return old > x ? old : x;
        case kCompareExchange:
            return old == x ? y : old;
        case kAnd:
            return old & x;
        case kOr:
            return old | x;
        case kXor:
            return old ^ x;
        default:
            return updatedReal(op, old, x, y);
    }
}
template <class U>
uint64_t exchange(std::byte* p, int op, uint64_t x, uint64_t y) {
    const auto cell = reinterpret_cast<U*>(p);
    if (op == kAdd) return __atomic_fetch_add(cell, U(x), __ATOMIC_SEQ_CST);
    if (op == kIncrement) return __atomic_fetch_add(cell, U(1), __ATOMIC_SEQ_CST);
    U old = __atomic_load_n(cell, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(cell, &old, updated<U>(op, old, U(x), U(y)), false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
    }
    return op == kPreDecrement ? U(old - 1) : old;
}

/// Step: src[0] addresses, src[1] operands, dst old values, kind operation, size element bytes in memory, stride in
/// registers, chunks address bytes, value bytes of one component in registers, src[2] Surface and, in bit 8, whether
/// old values are wanted.
inline const Step* atomic(Thread& t, const Step* m) {
    const auto surface = Surface(m->src[2] & 0xff);
    const bool wanted = m->src[2] >> 8 & 1;
    const uint32_t lanes = lanesOn(t, m->mask);
    uint64_t old[32];
    const uint64_t bytes = uint32_t(std::popcount(lanes)) * uint64_t(m->size);
    countTraffic<true>(t, surface, bytes), countTraffic<false>(t, surface, bytes);
    for (uint32_t on = lanes; on; on &= on - 1) {
        const auto i = unsigned(std::countr_zero(on));
        uint64_t address = 0, x = 0, y = 0;
        std::memcpy(&address, source<std::byte>(t, m->src[0]) + i * m->chunks, m->chunks);
        if (address & (m->size - 1u)) return failAccess(t, m, FaultKind::misaligned, true, i, address, m->size);
        std::byte* p = surfaceMemory<true>(t, m, surface, address, m->size);
        if (!p) return failAccess(t, m, overrun(surface), true, i, address, m->size);
        const std::byte* operands = source<std::byte>(t, m->src[1]) + i * m->stride;
        std::memcpy(&x, operands, m->size);
        std::memcpy(&y, operands + m->value, m->size);
        old[i] = m->size == 8   ? exchange<uint64_t>(p, m->kind, x, y)
                 : m->size == 4 ? exchange<uint32_t>(p, m->kind, x, y)
                                : exchange<uint16_t>(p, m->kind, x, y);
    }
    for (uint32_t on = wanted ? lanes : 0; on; on &= on - 1) {
        const auto i = unsigned(std::countr_zero(on));
        std::memcpy(t.state + m->dst + i * m->stride, &old[i], m->stride);
    }
    return m + 1;
}

}  // namespace
