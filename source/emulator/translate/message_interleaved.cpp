// Lanes of two to four dwords each, one lane behind the other: what an array of structures is. Whole vectors of memory
// and permutations take components apart and put them together, instead of a gather or scatter for each.
#include <array>
#include <cstdint>
#include <vector>

#include "emulator/translate/emitter.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;

namespace {

constexpr std::uint32_t kVectorDwords = 16;  // of a vector, and lanes of a message at a time
constexpr std::uint32_t kVectorBytes = 64;
constexpr std::uint32_t kMostComponents = 4;  // that HostAssembler::pickDwords() takes

using Numbers = HostAssembler::DwordNumbers;

/// A component of all lanes, in vectors of memory.
Numbers componentOf(std::uint32_t component, std::uint32_t components) {
    Numbers numbers{};
    for (std::uint32_t lane = 0; lane < kVectorDwords; ++lane) numbers[lane] = lane * components + component;
    return numbers;
}
/// A vector of memory, in components.
Numbers vectorOf(std::uint32_t vector, std::uint32_t components) {
    Numbers numbers{};
    for (std::uint32_t i = 0; i < kVectorDwords; ++i) {
        const std::uint32_t dword = vector * kVectorDwords + i;
        numbers[i] = dword % components * kVectorDwords + dword / components;
    }
    return numbers;
}
/// The lanes whose dwords a vector of memory has.
Numbers lanesIn(std::uint32_t vector, std::uint32_t components) {
    Numbers lanes{};
    for (std::uint32_t i = 0; i < kVectorDwords; ++i) lanes[i] = (vector * kVectorDwords + i) / components;
    return lanes;
}

Mem vectorAt(std::uint32_t number) { return ptr(rcx, static_cast<std::int32_t>(number * kVectorBytes), kVectorBytes); }

}  // namespace

bool Emitter::isInterleaved(const Lanes16& l) {
    return l.bytes == 4 && l.access.components >= 2 && l.access.components <= kMostComponents;
}

/// `to` becomes these dwords of up to four vectors.
void Emitter::pickDwords(const Zmm& to, const std::vector<asmjit::Operand>& vectors, const Numbers& from) {
    Numbers order = from;
    for (std::uint32_t& number : order) number %= 2 * kVectorDwords;
    a_.pickDwords(to, vectors, from, numbers(order));
}

/// From the host address in rcx on.
void Emitter::loadInterleaved(const Lanes16& l, const std::vector<Zmm>& results) {
    std::vector<asmjit::Operand> vectors;
    for (std::uint32_t v = 0; v < results.size(); ++v) {
        const Zmm held = v == 0 ? zmm0 : zmm1;
        if (v % 2 == 0) a_.vmovdqu32(held, vectorAt(v));
        vectors.push_back(v % 2 == 0 ? asmjit::Operand(held) : asmjit::Operand(vectorAt(v)));
    }
    const auto n = static_cast<std::uint32_t>(results.size());
    for (std::uint32_t k = 0; k < n; ++k) {
        pickDwords(zmm3, vectors, componentOf(k, n));
        ofRun(l, 0).vmovdqa32(results[k], zmm3);
    }
}

/// To the host address in rcx and behind it.
void Emitter::storeInterleaved(const Lanes16& l, const std::vector<Zmm>& data) {
    const std::vector<asmjit::Operand> components(data.begin(), data.end());
    const auto n = static_cast<std::uint32_t>(data.size());
    if (!l.whole) a_.vpmovm2d(zmm5, k5);
    for (std::uint32_t v = 0; v < n; ++v) {
        pickDwords(zmm3, components, vectorOf(v, n));
        if (!l.whole) {
            pickDwords(zmm2, {zmm5}, lanesIn(v, n));
            a_.vptestmd(k3, zmm2, zmm2);
            a_.k(k3);
        }
        a_.vmovdqu32(vectorAt(v), zmm3);
    }
}

}  // namespace zetl::emulator::translate
