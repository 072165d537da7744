// Atomics on all address spaces, as real atomics of the host.
#pragma once

#include <utility>

#include "emulator/isa/polling.h"
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

/// The same where no other host thread is: in local memory, since one host thread runs the threads of a group.
template <class U>
U exchangeAlone(AtomicOperation op, U* cell, U x, U y) {
    const U old = *cell;
    *cell = updated<U>(op, old, x, y);
    return op == AtomicOperation::preDecrement ? U(old - 1) : old;
}

/// What a thread that waits for another one sees: elements that its operation leaves as they are.
struct Unchanged {
    bool all = false;
    std::uint64_t seen = 0;  ///< differs if elements, values or operands do, in all likelihood
};
/// The elements' values, if the operation would leave each of them as it is, without waiting for a turn.
template <class U, class Slot>
[[gnu::noinline]] Unchanged readUnchanged(AtomicOperation op, std::uint32_t lanes, U* const (&cells)[32], const Slot* x,
                                          const Slot* y, Slot (&old)[32]) {
    constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;
    if (op == AtomicOperation::preDecrement) return {};  // which returns another value than that
    std::uint64_t seen = 0;
    for (; lanes; lanes &= lanes - 1) {
        const auto i = unsigned(std::countr_zero(lanes));
        const U value = __atomic_load_n(cells[i], __ATOMIC_SEQ_CST);
        if (updated<U>(op, value, U(x[i]), U(y[i])) != value) return {};
        old[i] = value;
        seen += reinterpret_cast<std::uintptr_t>(cells[i]) + (std::uint64_t(value) + std::uint64_t(x[i])) * kSpread;
    }
    return {true, seen};
}

/// Where the elements of a message may lie together.
struct ElementArea {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    std::byte* host = nullptr;
    std::uint64_t mask = ~std::uint64_t{0};  ///< bits of an address that count
};
inline ElementArea areaOf(const Thread& t, const Step* m, MemorySpace space) {
    if (space == MemorySpace::local) return {0, t.local.size(), t.local.data(), kLocalOffsetMask};
    if (space != MemorySpace::global) return {};
    const MemoryWindow& w = t.writable[windowOf(*m)];
    return {w.begin, w.bytes, w.host};
}

/// The host addresses of the lanes' elements, if all lie in local memory, or in the memory that the message found last.
template <class U, class A>
bool findTogether(Thread& t, const Step* m, const AtomicAccess& a, std::uint32_t lanes, U* (&cells)[32]) {
    const ElementArea area = areaOf(t, m, a.space);
    if (area.bytes < sizeof(U)) return false;
    const std::uint64_t last = area.bytes - sizeof(U);
    const auto host = reinterpret_cast<std::uint64_t>(area.host);
    const A* addresses = at<A>(t, a.addresses);
    std::uint32_t refused = 0;
    for (unsigned i = 0; i < 32; ++i) {
        const std::uint64_t offset = (addresses[i] & area.mask) - area.begin;
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
    Unchanged unchanged;
    if (a.space == MemorySpace::local) {
        if (op == AtomicOperation::add)
            each([](U* cell, U v, U) { return std::exchange(*cell, U(*cell + v)); });
        else if (op == AtomicOperation::increment)
            each([](U* cell, U, U) { return (*cell)++; });
        else
            each([op](U* cell, U v, U w) { return exchangeAlone(op, cell, v, w); });
    } else if (unchanged = readUnchanged<U>(op, lanes, cells, x, y, old); !unchanged.all) {
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
    if (unchanged.all && t.polling.isInVain(m, unchanged.seen))
        charge(t, std::uint64_t(std::max<std::int64_t>(t.fuel, 0)));
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
