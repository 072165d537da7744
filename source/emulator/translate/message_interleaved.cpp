// Lanes of two to four dwords each, one lane behind the other: what an array of structures is. Whole vectors of memory
// and permutations take components apart and put them together, instead of a gather or scatter for each.
#include <array>
#include <cstdint>
#include <vector>

#include "emulator/translate/emitter.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;

namespace {

constexpr std::uint32_t kDwordLanes = 16;
constexpr std::uint32_t kVectorBytes = 64;    // bytes
constexpr std::uint32_t kMostComponents = 4;  // in two permutations of two vectors each

using Dwords = std::array<std::uint32_t, kDwordLanes>;

/// A vector of dwords out of up to four: which two permutations it takes, and where the second counts.
struct Pick {
    Dwords number{};           ///< in the pair of vectors that each comes from
    std::uint32_t second = 0;  ///< dwords that come from the second pair
    void set(std::uint32_t at, std::uint32_t from) {
        number[at] = from % (2 * kDwordLanes);
        second |= from / (2 * kDwordLanes) << at;
    }
};
/// A component of all lanes, out of memory.
Pick componentOf(std::uint32_t component, std::uint32_t components) {
    Pick pick;
    for (std::uint32_t lane = 0; lane < kDwordLanes; ++lane) pick.set(lane, lane * components + component);
    return pick;
}
/// A vector of memory, out of components.
Pick vectorOf(std::uint32_t vector, std::uint32_t components) {
    Pick pick;
    for (std::uint32_t at = 0; at < kDwordLanes; ++at) {
        const std::uint32_t dword = vector * kDwordLanes + at;
        pick.set(at, dword % components * kDwordLanes + dword / components);
    }
    return pick;
}
/// Whose dwords a vector of memory has.
Dwords lanesIn(std::uint32_t vector, std::uint32_t components) {
    Dwords lanes{};
    for (std::uint32_t at = 0; at < kDwordLanes; ++at) lanes[at] = (vector * kDwordLanes + at) / components;
    return lanes;
}

}  // namespace

bool Emitter::isInterleaved(const Lanes16& l) const {
    const std::uint32_t n = l.access.components;
    return l.bytes == 4 && n >= 2 && n <= kMostComponents && a_.hasExpansion();
}

/// From the host address in rcx on.
void Emitter::loadInterleaved(const Lanes16& l, const std::vector<Zmm>& results) {
    const std::uint32_t n = l.access.components;
    const auto vector = [](std::uint32_t number) {
        return ptr(rcx, static_cast<std::int32_t>(number * kVectorBytes), kVectorBytes);
    };
    const bool two = n > 2;
    a_.vmovdqu32(zmm0, vector(0));
    if (two) a_.vmovdqu32(zmm1, vector(2));
    for (std::uint32_t k = 0; k < n; ++k) {
        const Pick pick = componentOf(k, n);
        a_.vmovdqu32(zmm3, numbers(pick.number));
        if (two) {
            a_.vmovdqa32(zmm4, zmm3);
            n == kMostComponents ? a_.vpermi2d(zmm4, zmm1, vector(3)) : a_.vpermd(zmm4, zmm4, zmm1);
        }
        a_.vpermi2d(zmm3, zmm0, vector(1));
        if (two) {
            a_.mov(eax, pick.second);
            a_.kmovw(k3, eax);
            a_.k(k3).vmovdqa32(zmm3, zmm4);
        }
        ofRun(l, 0).vmovdqa32(results[k], zmm3);
    }
}

/// To the host address in rcx and behind it.
void Emitter::storeInterleaved(const Lanes16& l, const std::vector<Zmm>& data) {
    const std::uint32_t n = l.access.components;
    const bool two = n > 2;
    if (!l.whole) a_.vpmovm2d(zmm5, k5);
    for (std::uint32_t v = 0; v < n; ++v) {
        const Pick pick = vectorOf(v, n);
        a_.vmovdqu32(zmm3, numbers(pick.number));
        if (two) {
            a_.vmovdqa32(zmm4, zmm3);
            a_.vpermi2d(zmm4, data[2], data[n - 1]);
        }
        a_.vpermi2d(zmm3, data[0], data[1]);
        if (two) {
            a_.mov(eax, pick.second);
            a_.kmovw(k3, eax);
            a_.k(k3).vmovdqa32(zmm3, zmm4);
        }
        if (!l.whole) {
            a_.vmovdqu32(zmm4, numbers(lanesIn(v, n)));
            a_.vpermd(zmm4, zmm4, zmm5);
            a_.vpmovd2m(k3, zmm4);
            a_.k(k3);
        }
        a_.vmovdqu32(ptr(rcx, static_cast<std::int32_t>(v * kVectorBytes), kVectorBytes), zmm3);
    }
}

}  // namespace zetl::emulator::translate
