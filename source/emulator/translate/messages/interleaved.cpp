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

using Numbers = HostAssembler::DwordNumbers;

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

/// `to` becomes these dwords of up to four vectors.
void Interleaved::pickDwords(const Zmm& to, const std::vector<asmjit::Operand>& vectors, const Numbers& from) {
    Numbers order = from;
    for (std::uint32_t& number : order) number %= 2 * kVectorDwords;
    a_.pickDwords(to, vectors, from, numbers_.of(order));
}

/// From the host address in rcx on.
void Interleaved::load(const Lanes16& l, const std::vector<Zmm>& results) {
    const Lanes lanes{l.access.components, l.bytes / 4};
    for (std::uint32_t part = 0; part < lanes.dwords; ++part) {
        std::vector<asmjit::Operand> vectors;
        for (std::uint32_t v = 0; v < lanes.components; ++v) {
            const Mem memory = vectorAt(part * lanes.components + v);
            const Zmm held = v == 0 ? zmm0 : zmm1;
            if (v % 2 == 0) a_.vmovdqu32(held, memory);
            vectors.push_back(v % 2 == 0 ? asmjit::Operand(held) : asmjit::Operand(memory));
        }
        for (std::uint32_t k = 0; k < lanes.components; ++k) {
            pickDwords(zmm3, vectors, lanes.component(k));
            const Zmm& result = results[k * lanes.dwords + part];
            lanes.dwords == 1 ? access_.ofRun(l, part).vmovdqa32(result, zmm3)
                              : access_.ofRun(l, part).vmovdqa64(result, zmm3);
        }
    }
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
            pickDwords(zmm3, components, lanes.vector(v));
            if (!l.whole) {
                pickDwords(zmm2, {zmm5}, lanes.owners(v));
                wide ? a_.vptestmq(k3, zmm2, zmm2) : a_.vptestmd(k3, zmm2, zmm2);
                a_.k(k3);
            }
            wide ? a_.vmovdqu64(memory, zmm3) : a_.vmovdqu32(memory, zmm3);
        }
    }
}

}  // namespace zetl::emulator::translate
