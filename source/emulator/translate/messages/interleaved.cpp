// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Lanes of two to four dwords or qwords each, one lane behind the other: what an array of structures is. Whole vectors
// of memory and permutations take components apart and put them together, instead of a gather or scatter for each.
#include "emulator/translate/messages/interleaved.h"

#include <array>
#include <cstdint>
#include <vector>

namespace zetl::emulator::translate {

using namespace asmjit::x86;

namespace {

constexpr std::uint32_t kVectorDwords = 16;  // of a vector, and lanes of a message at a time
constexpr std::uint32_t kVectorBytes = 64;
constexpr std::uint32_t kMostComponents = 4;  // that HostAssembler::pickDwords() takes

/// As many lanes as fill a vector with one component: all sixteen of dwords, the first or last eight of qwords. In
/// memory they are as many vectors as there are components.
struct Lanes {
    std::uint32_t components;
    std::uint32_t dwords;  ///< of an element
    std::uint32_t count() const { return kVectorDwords / dwords; }

    /// Where the dwords of a vector come from, by element.
    template <class Element>
    Numbers numbers(Element&& element) const {
        Numbers list{};
        for (std::uint32_t i = 0; i < list.size(); ++i) list[i] = element(i / dwords) * dwords + i % dwords;
        return list;
    }
    /// A component, in vectors of memory.
    Numbers component(std::uint32_t number) const {
        return numbers([&](std::uint32_t lane) { return lane * components + number; });
    }
    /// A vector of memory, in components.
    Numbers vector(std::uint32_t number) const {
        return numbers([&](std::uint32_t i) {
            const std::uint32_t element = number * count() + i;
            return element % components * count() + element / components;
        });
    }
    /// Of four components, the first half of the lanes of one and then of the next, in the two vectors of memory that
    /// have them.
    Numbers halves(std::uint32_t number) const {
        return numbers([&](std::uint32_t i) {
            const std::uint32_t half = count() / 2;
            return i % half * components + number + i / half;
        });
    }
    /// A vector of memory, in such halves: of the first two components, and of the others.
    Numbers vectorOfHalves(std::uint32_t number) const {
        return numbers([&](std::uint32_t i) {
            const std::uint32_t element = number * count() + i;
            return element % components * (count() / 2) + element / components;
        });
    }
    /// The lanes whose elements a vector of memory has.
    Numbers owners(std::uint32_t number) const {
        return numbers([&](std::uint32_t i) { return (number * count() + i) / components; });
    }
};

Mem vectorAt(std::uint32_t number) { return ptr(rcx, static_cast<std::int32_t>(number * kVectorBytes), kVectorBytes); }

}  // namespace

bool Interleaved::isInterleaved(const Lanes16& l) {
    return l.bytes >= 4 && l.access.components >= 2 && l.access.components <= kMostComponents;
}

/// Whether four components take the way over halves. Of registers in memory, all dwords are picked at once.
bool Interleaved::pairsHalves(std::uint32_t components) const {
    return components == kMostComponents && !a_.hasFewRegisters();
}

/// `to` becomes these dwords of up to four vectors.
void Interleaved::pickDwords(const Zmm& to, const std::vector<asmjit::Operand>& vectors, const Numbers& from) {
    Numbers order = from;
    for (std::uint32_t& number : order) number %= 2 * kVectorDwords;
    a_.pickDwords(to, vectors, from, numbers_.of(order));
}

/// Two registers become one by a permutation.
void Interleaved::pickOfTwo(const Zmm& to, const Zmm& first, const Zmm& second, const Numbers& from) {
    a_.vmovdqu32(to, numbers_.of(from));
    a_.vpermi2d(to, first, second);
}

/// The lower halves of both, or the upper ones.
void Interleaved::pairHalves(const Zmm& to, const Zmm& first, const Zmm& second, bool upper) {
    constexpr std::uint8_t kUpper = 0xee;
    upper ? a_.vshufi64x2(to, first, second, kUpper) : a_.vinserti64x4(to, first, second.ymm(), 1);
}

/// Four components in eight permutations, half of which only move halves. `loadVector` loads a vector of memory.
template <class F>
void Interleaved::loadFour(const Lanes16& l, std::uint32_t part, const std::vector<Zmm>& results, F&& loadVector) {
    const Lanes lanes{l.access.components, l.bytes / 4};
    const auto loadHalves = [&](std::uint32_t vector, const Zmm& ofFirst, const Zmm& ofOthers) {
        loadVector(zmm0, vector);
        loadVector(zmm1, vector + 1);
        pickOfTwo(ofFirst, zmm0, zmm1, lanes.halves(0));
        pickOfTwo(ofOthers, zmm0, zmm1, lanes.halves(2));
    };
    loadHalves(0, zmm2, zmm3);
    loadHalves(2, zmm4, zmm5);
    for (std::uint32_t k = 0; k < lanes.components; ++k) {
        const Zmm& result = results[k * lanes.dwords + part];
        pairHalves(l.whole ? result : zmm0, k < 2 ? zmm2 : zmm3, k < 2 ? zmm4 : zmm5, k % 2 != 0);
        if (!l.whole) moveTo(l, part, result, zmm0);
    }
}

bool Interleaved::loadsLaneByLane(const Lanes16& l) const {
    return l.whole && l.bytes >= 4 && pairsHalves(l.access.components);
}

/// Lanes that lie apart, each with four dwords or qwords, at the offsets in zmm1 and zmm2 from rcx: sixteen loads,
/// where gathers would be sixty-four. The offsets go through the stack, where nobody else writes below its end.
void Interleaved::loadLaneByLane(const Lanes16& l, const std::vector<Zmm>& results) {
    const std::uint32_t laneBytes = kMostComponents * l.bytes;
    const std::uint32_t lanesOfVector = kVectorBytes / laneBytes;
    const std::uint32_t parts = l.bytes / 4;
    const bool wide = l.space == isa::MemorySpace::global;
    const auto offsetOf = [&](std::uint32_t lane) {
        const auto at = static_cast<std::int32_t>(lane * (wide ? 8 : 4)) - static_cast<std::int32_t>(2 * kVectorBytes);
        return ptr(rsp, at, wide ? 8 : 4);
    };
    a_.vmovdqu64(ptr(rsp, -2 * static_cast<std::int32_t>(kVectorBytes), kVectorBytes), zmm1);
    if (wide) a_.vmovdqu64(ptr(rsp, -static_cast<std::int32_t>(kVectorBytes), kVectorBytes), zmm2);
    const auto loadLane = [&](const Zmm& to, std::uint32_t number) {
        const Mem lane = ptr(rcx, rax, 0, 0, laneBytes);
        if (parts == 1)
            number == 0 ? a_.vmovdqu32(to.xmm(), lane) : a_.vinserti32x4(to, to, lane, number);
        else
            number == 0 ? a_.vmovdqu64(to.ymm(), lane) : a_.vinserti64x4(to, to, lane, number);
    };
    for (std::uint32_t part = 0; part < parts; ++part) {
        loadFour(l, part, results, [&](const Zmm& to, std::uint32_t vector) {
            for (std::uint32_t i = 0; i < lanesOfVector; ++i) {
                a_.mov(wide ? Gp(rax) : Gp(eax), offsetOf((part * kMostComponents + vector) * lanesOfVector + i));
                loadLane(to, i);
            }
        });
    }
}

void Interleaved::moveTo(const Lanes16& l, std::uint32_t part, const Zmm& result, const Zmm& from) {
    l.bytes == 4 ? access_.ofRun(l, part).vmovdqa32(result, from) : access_.ofRun(l, part).vmovdqa64(result, from);
}

/// From the host address in rcx on.
void Interleaved::load(const Lanes16& l, const std::vector<Zmm>& results) {
    const Lanes lanes{l.access.components, l.bytes / 4};
    for (std::uint32_t part = 0; part < lanes.dwords; ++part) {
        if (pairsHalves(lanes.components)) {
            loadFour(l, part, results, [&](const Zmm& to, std::uint32_t vector) {
                a_.vmovdqu32(to, vectorAt(part * lanes.components + vector));
            });
            continue;
        }
        std::vector<asmjit::Operand> vectors;
        for (std::uint32_t v = 0; v < lanes.components; ++v) {
            const Mem memory = vectorAt(part * lanes.components + v);
            const Zmm held = v == 0 ? zmm0 : zmm1;
            if (v % 2 == 0) a_.vmovdqu32(held, memory);
            vectors.push_back(v % 2 == 0 ? asmjit::Operand(held) : asmjit::Operand(memory));
        }
        for (std::uint32_t k = 0; k < lanes.components; ++k) {
            pickDwords(zmm3, vectors, lanes.component(k));
            moveTo(l, part, results[k * lanes.dwords + part], zmm3);
        }
    }
}

/// A vector of memory with four components, in zmm3; every second one finds the halves that the one before has paired.
void Interleaved::makeVector(std::uint32_t number, const Lanes16& l, std::uint32_t part, const std::vector<Zmm>& data) {
    const Lanes lanes{l.access.components, l.bytes / 4};
    const auto of = [&](std::uint32_t k) { return data[k * lanes.dwords + part]; };
    if (number % 2 == 0) {
        pairHalves(zmm0, of(0), of(1), number != 0);
        pairHalves(zmm1, of(2), of(3), number != 0);
    }
    pickOfTwo(zmm3, zmm0, zmm1, lanes.vectorOfHalves(number % 2));
}

/// To the host address in rcx and behind it.
void Interleaved::store(const Lanes16& l, const std::vector<Zmm>& data) {
    const Lanes lanes{l.access.components, l.bytes / 4};
    const bool wide = lanes.dwords == 2;
    for (std::uint32_t part = 0; part < lanes.dwords; ++part) {
        std::vector<asmjit::Operand> components;
        for (std::uint32_t k = 0; k < lanes.components; ++k) components.push_back(data[k * lanes.dwords + part]);
        if (!l.whole && part != 0) a_.kshiftrw(k5, k5, lanes.count());
        if (!l.whole) wide ? a_.vpmovm2q(zmm5, k5) : a_.vpmovm2d(zmm5, k5);
        for (std::uint32_t v = 0; v < lanes.components; ++v) {
            const Mem memory = vectorAt(part * lanes.components + v);
            if (pairsHalves(lanes.components))
                makeVector(v, l, part, data);
            else
                pickDwords(zmm3, components, lanes.vector(v));
            if (!l.whole) {
                pickDwords(zmm2, {zmm5}, lanes.owners(v));
                wide ? a_.vpmovq2m(k3, zmm2) : a_.vpmovd2m(k3, zmm2);
                a_.k(k3);
            }
            wide ? a_.vmovdqu64(memory, zmm3) : a_.vmovdqu32(memory, zmm3);
        }
    }
}

}  // namespace zetl::emulator::translate
