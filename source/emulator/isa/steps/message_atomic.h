// Atomics on all address spaces, as real atomics of the host.
#pragma once

#include "emulator/isa/steps/message_memory.h"
#include "emulator/isa/steps/turn.h"

namespace {

template <class U>
U updatedReal(AtomicOperation op, U old, U x, U y) {
    using F = std::conditional_t<sizeof(U) == 8, double, float>;
    [[maybe_unused]] const bool brain = zetl::isa::xe::isOnBrain(op);
    const auto real = [&](U v) -> F {
        if constexpr (sizeof(U) >= 4)
            return std::bit_cast<F>(v);
        else
            return brain ? toFloat(Brain{std::uint16_t(v)}) : toFloat(Half{std::uint16_t(v)});
    };
    const auto bits = [&](F v) -> U {
        if constexpr (sizeof(U) >= 4)
            return std::bit_cast<U>(v);
        else
            return U(brain ? toBrain(v).bits : toHalf(v).bits);
    };
    const F was = real(old);
    const F operand = real(x);
    switch (op) {
        case AtomicOperation::addReal:
        case AtomicOperation::addBrain:
            return bits(was + operand);
        case AtomicOperation::subtractReal:
        case AtomicOperation::subtractBrain:
            return bits(was - operand);
        case AtomicOperation::minReal:
        case AtomicOperation::minBrain:
            return operand < was || was != was ? x : old;
        case AtomicOperation::maxReal:
        case AtomicOperation::maxBrain:
            return operand > was || was != was ? x : old;
        default:
            return was == operand ? y : old;
    }
}
template <class U>
U updated(AtomicOperation op, U old, U x, U y) {
    using S = std::make_signed_t<U>;
    switch (op) {
        case AtomicOperation::increment:
            return U(old + 1);
        case AtomicOperation::decrement:
        case AtomicOperation::preDecrement:
            return U(old - 1);
        case AtomicOperation::load:
            return old;
        case AtomicOperation::exchange:
            return x;
        case AtomicOperation::add:
            return U(old + x);
        case AtomicOperation::subtract:
            return U(old - x);
        case AtomicOperation::reverseSubtract:
            return U(x - old);
        case AtomicOperation::minSigned:
            return S(old) < S(x) ? old : x;
        case AtomicOperation::maxSigned:
            return S(old) > S(x) ? old : x;
        case AtomicOperation::minUnsigned:
            return old < x ? old : x;
        case AtomicOperation::maxUnsigned:
            return old > x ? old : x;
        case AtomicOperation::compareExchange:
            return old == x ? y : old;
        case AtomicOperation::bitAnd:
            return old & x;
        case AtomicOperation::bitOr:
            return old | x;
        case AtomicOperation::bitXor:
            return old ^ x;
        default:
            return updatedReal(op, old, x, y);
    }
}
/// Performs the operation on one element and returns its old value.
template <class U>
U exchange(AtomicOperation op, U* cell, U x, U y) {
    U old = __atomic_load_n(cell, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(cell, &old, updated<U>(op, old, x, y), false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
    }
    return op == AtomicOperation::preDecrement ? U(old - 1) : old;
}

/// The elements' values, if the operation would leave each of them as it is: that of a thread that waits for another
/// one, which would have to wait for its turn otherwise.
template <class U, class Slot>
[[gnu::noinline]] bool readUnchanged(AtomicOperation op, std::uint32_t lanes, U* const (&cells)[32], const Slot* x,
                                     const Slot* y, Slot (&old)[32]) {
    if (op == AtomicOperation::preDecrement) return false;  // which returns another value than that
    for (; lanes; lanes &= lanes - 1) {
        const auto i = unsigned(std::countr_zero(lanes));
        const U value = __atomic_load_n(cells[i], __ATOMIC_SEQ_CST);
        if (updated<U>(op, value, U(x[i]), U(y[i])) != value) return false;
        old[i] = value;
    }
    return true;
}

/// The host addresses of the lanes' elements, if all lie in the memory that the message found last.
template <class U, class A>
bool findTogether(Thread& t, const Step* m, const AtomicAccess& a, std::uint32_t lanes, U* (&cells)[32]) {
    if (a.space != MemorySpace::global) return false;
    const MemoryWindow& w = t.writable[windowOf(*m)];
    if (w.bytes < sizeof(U)) return false;
    const std::uint64_t begin = w.begin;
    const std::uint64_t last = w.bytes - sizeof(U);
    const auto host = reinterpret_cast<std::uint64_t>(w.host);
    const A* addresses = at<A>(t, a.addresses);
    std::uint32_t refused = 0;
    for (unsigned i = 0; i < 32; ++i) {
        const std::uint64_t offset = addresses[i] - begin;
        const bool fits = offset <= last && addresses[i] % sizeof(U) == 0;
        refused |= fits ? 0u : lanes & 1u << i;
        cells[i] = reinterpret_cast<U*>(host + offset);
    }
    return refused == 0;
}
/// The same for each lane by itself. Returns false after a fault.
template <class U, class A>
bool findElements(Thread& t, const Step* m, const AtomicAccess& a, std::uint32_t lanes, U* (&cells)[32]) {
    const A* addresses = at<A>(t, a.addresses);
    for (; lanes; lanes &= lanes - 1) {
        const auto i = unsigned(std::countr_zero(lanes));
        const std::uint64_t address = addresses[i];
        const auto refuse = [&](FaultKind kind) {
            failAccess(t, m, kind, true, i, address, sizeof(U));
            return false;
        };
        if (address % sizeof(U)) return refuse(FaultKind::misaligned);
        std::byte* p = memoryIn<true>(t, m, a.space, address, sizeof(U));
        if (!p) return refuse(overrun(a.space));
        cells[i] = reinterpret_cast<U*>(p);
    }
    return true;
}

/// Element U in memory, A an address.
template <class U, class A>
const Step* atomic(Thread& t, const Step* m) {
    using Slot = std::conditional_t<sizeof(U) == 8, std::uint64_t, std::uint32_t>;  // in registers
    const auto a = AtomicAccess::of(*m);
    const std::uint32_t lanes = lanesOn(t, m->mask);
    if (lanes == 0) return m + 1;
    const std::uint64_t bytes = std::uint32_t(std::popcount(lanes)) * sizeof(U);
    countTraffic<true>(t, a.space, bytes);
    countTraffic<false>(t, a.space, bytes);
    U* cells[32];
    if (!findTogether<U, A>(t, m, a, lanes, cells) && !findElements<U, A>(t, m, a, lanes, cells)) return nullptr;
    const Slot* x = at<Slot>(t, a.operands);
    const Slot* y = x + a.secondOperand / sizeof(Slot);
    Slot old[32];
    const auto each = [&](auto operation) {
        for (std::uint32_t on = lanes; on; on &= on - 1) {
            const auto i = unsigned(std::countr_zero(on));
            old[i] = operation(cells[i], U(x[i]), U(y[i]));
        }
    };
    const AtomicOperation op = a.operation;
    if (!readUnchanged<U>(op, lanes, cells, x, y, old)) {
        const Turn turn(cells[std::countr_zero(lanes)]);
        if (op == AtomicOperation::add)
            each([](U* cell, U v, U) { return __atomic_fetch_add(cell, v, __ATOMIC_SEQ_CST); });
        else if (op == AtomicOperation::increment)
            each([](U* cell, U, U) { return __atomic_fetch_add(cell, U(1), __ATOMIC_SEQ_CST); });
        else
            each([op](U* cell, U v, U w) { return exchange(op, cell, v, w); });
    }
    for (std::uint32_t on = a.wanted ? lanes : 0; on; on &= on - 1) {
        const auto i = unsigned(std::countr_zero(on));
        at<Slot>(t, a.result)[i] = old[i];
    }
    return m + 1;
}

template <class U, class A>
constexpr void addAtomic(Handlers<AtomicAccess>& h) {
    h.run[AtomicAccess::Form{.elementBytes = sizeof(U), .addressBytes = sizeof(A)}.index()] = atomic<U, A>;
}
constexpr void addHandlers(Handlers<AtomicAccess>& h) {
    addAtomic<std::uint16_t, std::uint32_t>(h);
    addAtomic<std::uint16_t, std::uint64_t>(h);
    addAtomic<std::uint32_t, std::uint32_t>(h);
    addAtomic<std::uint32_t, std::uint64_t>(h);
    addAtomic<std::uint64_t, std::uint32_t>(h);
    addAtomic<std::uint64_t, std::uint64_t>(h);
}

}  // namespace
