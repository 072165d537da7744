// Atomics on any space, as real atomics of the host.
#pragma once

#include "emulator/isa/steps/message_memory.h"
#include "emulator/isa/steps/turn.h"

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
/// Does the operation on one element and gives its old value.
template <class U>
U exchange(int op, U* cell, U x, U y) {
    U old = __atomic_load_n(cell, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(cell, &old, updated<U>(op, old, x, y), false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
    }
    return op == kPreDecrement ? U(old - 1) : old;
}

/// Where the lanes' elements lie in host memory; false after a fault.
template <class U, class A>
bool findElements(Thread& t, const Step* m, MemorySpace space, uint32_t lanes, U* (&cells)[32]) {
    const A* addresses = source<A>(t, m->src[0]);
    for (; lanes; lanes &= lanes - 1) {
        const auto i = unsigned(std::countr_zero(lanes));
        const uint64_t address = addresses[i];
        const auto refuse = [&](FaultKind kind) { return failAccess(t, m, kind, true, i, address, sizeof(U)), false; };
        if (address % sizeof(U)) return refuse(FaultKind::misaligned);
        std::byte* p = memoryIn<true>(t, m, space, address, sizeof(U));
        if (!p) return refuse(overrun(space));
        cells[i] = reinterpret_cast<U*>(p);
    }
    return true;
}

/// Element U in memory, A an address. Step: src[0] addresses, src[1] operands, dst old values, kind operation, value
/// bytes from the first operand to the second, src[2] MemorySpace and, in bit 8, whether old values are wanted.
template <class U, class A>
const Step* atomic(Thread& t, const Step* m) {
    using Slot = std::conditional_t<sizeof(U) == 8, uint64_t, uint32_t>;  // in registers
    const auto space = MemorySpace(m->src[2] & 0xff);
    const bool wanted = m->src[2] >> 8 & 1;
    const uint32_t lanes = lanesOn(t, m->mask);
    if (lanes == 0) return m + 1;
    const uint64_t bytes = uint32_t(std::popcount(lanes)) * sizeof(U);
    countTraffic<true>(t, space, bytes), countTraffic<false>(t, space, bytes);
    U* cells[32];
    if (!findElements<U, A>(t, m, space, lanes, cells)) return nullptr;
    const Slot* x = source<Slot>(t, m->src[1]);
    const Slot* y = x + uint32_t(m->value) / sizeof(Slot);
    Slot old[32];
    const auto each = [&](auto operation) {
        for (uint32_t on = lanes; on; on &= on - 1) {
            const auto i = unsigned(std::countr_zero(on));
            old[i] = operation(cells[i], U(x[i]), U(y[i]));
        }
    };
    const int op = m->kind;
    const Turn turn(cells[std::countr_zero(lanes)]);
    if (op == kAdd)
        each([](U* cell, U a, U) { return __atomic_fetch_add(cell, a, __ATOMIC_SEQ_CST); });
    else if (op == kIncrement)
        each([](U* cell, U, U) { return __atomic_fetch_add(cell, U(1), __ATOMIC_SEQ_CST); });
    else
        each([op](U* cell, U a, U b) { return exchange(op, cell, a, b); });
    for (uint32_t on = wanted ? lanes : 0; on; on &= on - 1) {
        const auto i = unsigned(std::countr_zero(on));
        at<Slot>(t, m->dst)[i] = old[i];
    }
    return m + 1;
}

template <class U, int Size>
constexpr void addAtomics(StepTable& s) {
    s.atomic[Size][0] = atomic<U, uint32_t>, s.atomic[Size][1] = atomic<U, uint64_t>;
}
constexpr void addAtomics(StepTable& s) {
    addAtomics<uint16_t, 0>(s), addAtomics<uint32_t, 1>(s), addAtomics<uint64_t, 2>(s);
}

}  // namespace
