// Per-lane loads and stores. Lanes are processed in groups of sixteen. Addresses that are successive or all equal take
// one check and one move; others are checked lane by lane. Compilers rely on unaligned access here.
#pragma once

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/steps/message_memory.h"
#include "isa/xe/lsc_descriptor.h"

namespace {

/// The message's fields, read where they are used: as local variables they would take the registers that lanes need.
inline LaneAccess fieldsOf(const Step* m) { return LaneAccess::of(*m); }

enum class Shape { contiguous, uniform, other };

template <class A>
Shape shapeOf(const A* a, unsigned step) {
    const A first = a[0];
    A run = 0;
    A same = 0;
    for (unsigned i = 0; i < 16; ++i) {
        same |= a[i] ^ first;
        run |= a[i] ^ A(first + step * i);
    }
    return run == 0 ? Shape::contiguous : same == 0 ? Shape::uniform : Shape::other;
}

/// Finds the memory of one lane. On failure it records the fault and returns null.
template <class M, MemorySpace Where, bool Write>
std::byte* laneMemory(Thread& t, const Step* m, unsigned lane, std::uint64_t address) {
    const std::uint64_t bytes = fieldsOf(m).components * sizeof(M);
    std::byte* p = memory<Where, Write>(t, m, address, bytes);
    if (!p) [[unlikely]]
        failAccess(t, m, overrun(Where), Write, lane, address, bytes);
    return p;
}

/// Element M in memory, R in the register, A an address; lanes base to base + 15, all on.
template <class M, class R, class A, MemorySpace Where>
bool loadChunk(Thread& t, const Step* m, const A* a, unsigned base) {
    const unsigned n = fieldsOf(m).components;
    const std::uint32_t step = fieldsOf(m).componentBytes;
    std::byte* d = t.state + fieldsOf(m).registers + base * sizeof(R);
    const Shape shape = shapeOf<A>(a, n * sizeof(M));
    alignas(64) R lanes[16];  // whole chunks move at once: narrower stores would stall the reader's wide load
    if (shape == Shape::uniform || (shape == Shape::contiguous && n == 1)) {
        const std::byte* p = memory<Where, false>(t, m, a[0], shape == Shape::uniform ? n * sizeof(M) : 16 * sizeof(M));
        if (p) {
            for (unsigned k = 0; k < n; ++k, d += step) {
                if (shape == Shape::uniform) {
                    M v;
                    std::memcpy(&v, p + k * sizeof v, sizeof v);
                    for (R& r : lanes) r = v;
                } else {
                    M raw[16];
                    std::memcpy(raw, p, sizeof raw);
                    for (int i = 0; i < 16; ++i) lanes[i] = raw[i];
                }
                std::memcpy(d, lanes, sizeof lanes);
            }
            return true;
        }  // lane by lane, to find the one that faults, and for chunks that span two allocations
    }
    const std::byte* p[16];
    for (unsigned i = 0; i < 16; ++i)
        if (!(p[i] = laneMemory<M, Where, false>(t, m, base + i, a[i]))) return false;
    for (unsigned k = 0; k < n; ++k, d += step) {
        for (int i = 0; i < 16; ++i) {
            M v;
            std::memcpy(&v, p[i] + k * sizeof v, sizeof v);
            lanes[i] = v;
        }
        std::memcpy(d, lanes, sizeof lanes);
    }
    return true;
}

template <class M, class R, class A, MemorySpace Where, bool Whole>
const Step* load(Thread& t, const Step* m) {
    const A* a = at<A>(t, fieldsOf(m).addresses);
    const std::uint32_t on = Whole ? m->mask.lanes : lanesOn(t, m->mask);
    countTraffic<Where, false>(t, std::uint32_t(std::popcount(on)) * fieldsOf(m).components * sizeof(M));
    for (unsigned base = 0; base < m->chunks * 16u; base += 16) {
        std::uint32_t part = on >> base & 0xffff;
        if (part == 0xffff) {
            if (!loadChunk<M, R, A, Where>(t, m, a + base, base)) return nullptr;
            continue;
        }
        const LaneAccess access = fieldsOf(m);
        for (; part; part &= part - 1) {
            const unsigned i = base + unsigned(std::countr_zero(part));
            const std::byte* p = laneMemory<M, Where, false>(t, m, i, a[i]);
            if (!p) return nullptr;
            for (unsigned k = 0; k < access.components; ++k) {
                M v;
                std::memcpy(&v, p + k * sizeof v, sizeof v);
                at<R>(t, access.registers + k * access.componentBytes)[i] = v;
            }
        }
    }
    return m + 1;
}

/// Moves sixteen lanes of one component to or from one run of memory. Returns false if they are not that simple.
template <class M, class R, class A, MemorySpace Where>
bool storeRun(Thread& t, const Step* m, const A* a, const std::byte* data) {
    if (fieldsOf(m).components != 1 || shapeOf<A>(a, sizeof(M)) != Shape::contiguous) return false;
    std::byte* p = memory<Where, true>(t, m, a[0], 16 * sizeof(M));
    if (!p) return false;
    M raw[16];
    R lanes[16];
    std::memcpy(lanes, data, sizeof lanes);
    for (int i = 0; i < 16; ++i) raw[i] = M(lanes[i]);
    std::memcpy(p, raw, sizeof raw);
    return true;
}

template <class M, class R, class A, MemorySpace Where, bool Whole>
const Step* store(Thread& t, const Step* m) {
    const A* a = at<A>(t, fieldsOf(m).addresses);
    const std::uint32_t on = Whole ? m->mask.lanes : lanesOn(t, m->mask);
    countTraffic<Where, true>(t, std::uint32_t(std::popcount(on)) * fieldsOf(m).components * sizeof(M));
    for (unsigned base = 0; base < m->chunks * 16u; base += 16) {
        std::uint32_t part = on >> base & 0xffff;
        const std::byte* s = t.state + fieldsOf(m).registers + base * sizeof(R);
        if (part == 0xffff && storeRun<M, R, A, Where>(t, m, a + base, s)) continue;
        for (; part; part &= part - 1) {
            const auto i = unsigned(std::countr_zero(part));
            std::byte* p = laneMemory<M, Where, true>(t, m, base + i, a[base + i]);
            if (!p) return nullptr;
            for (unsigned k = 0; k < fieldsOf(m).components; ++k) {
                const M v = M(reinterpret_cast<const R*>(s + k * fieldsOf(m).componentBytes)[i]);
                std::memcpy(p + k * sizeof v, &v, sizeof v);
            }
        }
    }
    return m + 1;
}

template <class M, class R, MemorySpace Where>
constexpr void addLaneSpace(Handlers<LaneAccess>& h, std::uint8_t data) {
    using A = std::conditional_t<Where == MemorySpace::global, std::uint64_t, std::uint32_t>;
    const auto at = [&](bool write, bool whole) -> Handler& {
        return h.run[LaneAccess::Form{.space = Where, .write = write, .data = data, .whole = whole}.index()];
    };
    at(false, false) = load<M, R, A, Where, false>;
    at(false, true) = load<M, R, A, Where, true>;
    at(true, false) = store<M, R, A, Where, false>;
    at(true, true) = store<M, R, A, Where, true>;
}
template <class M, class R>
constexpr void addLaneData(Handlers<LaneAccess>& h, std::uint8_t data) {
    addLaneSpace<M, R, MemorySpace::global>(h, data);
    addLaneSpace<M, R, MemorySpace::local>(h, data);
    addLaneSpace<M, R, MemorySpace::scratch>(h, data);
}
constexpr void addHandlers(Handlers<LaneAccess>& h) {
    addLaneData<std::uint32_t, std::uint32_t>(h, lsc::kD32);
    addLaneData<std::uint64_t, std::uint64_t>(h, lsc::kD64);
    addLaneData<std::uint8_t, std::uint32_t>(h, lsc::kD8InDword);
    addLaneData<std::uint16_t, std::uint32_t>(h, lsc::kD16InDword);
}

}  // namespace
