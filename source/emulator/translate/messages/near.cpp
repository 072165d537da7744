// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Lanes with near addresses, in two or four lines of the host's cache of which the first has the first lane's address:
// every second dword, those of a butterfly, reversed ones, parts of a block that lanes share. Loads and permutations do
// the work of a gather, and an expansion and two masked stores that of a scatter, which takes the host three to eight
// times as long. For other lanes the code goes on behind, where only temporary registers have changed.
#include "emulator/translate/messages/near.h"

#include <bit>

#include "emulator/translate/messages/interleaved.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::MemorySpace;

namespace {

constexpr std::int32_t kLine = 64;
constexpr std::uint32_t kDwords = 2 * kLine / 4;
constexpr std::uint32_t kOutside = ~(4 * (kDwords - 1));  // bits that no dword's place in the lines has
constexpr int kToDwords = 2;                              // bits by which a place is shifted
constexpr std::uint8_t kLess = 1;
constexpr std::uint8_t kGreater = 6;

constexpr std::array<std::uint32_t, 16> sixteen(std::uint32_t first, std::uint32_t step) {
    std::array<std::uint32_t, 16> list{};
    for (std::uint32_t lane = 0; lane < list.size(); ++lane) list[lane] = first + step * lane;
    return list;
}

}  // namespace

/// Not private arrays, whose lanes lie as far apart as they are long.
bool Near::mayLoad(const Lanes16& l) const {
    const bool local = l.space == MemorySpace::local;
    const bool dwords = l.bytes == 4 && (l.access.components == 1 || Interleaved::isInterleaved(l));
    return dwords && (local || (a_.hasExpansion() && l.space == MemorySpace::global));
}
bool Near::mayStore(const Lanes16& l) const {
    return l.access.components == 1 && (a_.hasExpansion() || storesButterfly(l)) && mayLoad(l);
}
/// By some lanes: all of them take less one by one.
bool Near::storesButterfly(const Lanes16& l) const {
    return a_.storesButterflies() && !l.whole && l.space == MemorySpace::local;
}

/// Bytes and words, from the dwords that they lie in.
bool Near::mayLoadNarrow(const Lanes16& l) const {
    return l.bytes < 4 && a_.hasExpansion() && (l.space == MemorySpace::local || l.space == MemorySpace::global);
}

/// The lanes' bytes in zmm3, by number in the lines, from the distances there; in rax where the lines begin, from the
/// first address. Of addresses of 32 bits.
void Near::numberBytes() {
    const auto inLine = kLine - 1;
    a_.mov(ecx, eax);
    a_.and_(ecx, inLine);
    a_.and_(rax, ~inLine);
    a_.vpbroadcastd(zmm0, ecx);
    a_.vpaddd(zmm3, zmm3, zmm0);
}

/// The lanes' elements in zmm3, by number in the lines, one without such a number as a larger one; in rax where these
/// begin. From the first address in rax and the distances from it in zmm3 and zmm4.
void Near::number(const Lanes16& l, std::uint32_t elementBytes) {
    const auto inLine = kLine - 1;
    const auto toElements = std::countr_zero(elementBytes);
    if (l.space != MemorySpace::global) {
        numberBytes();
        if (toElements != 0) a_.vprord(zmm3, zmm3, toElements);
        return;
    }
    a_.mov(ecx, eax);
    a_.and_(ecx, inLine);
    a_.and_(rax, ~inLine);
    a_.vpbroadcastq(zmm0, rcx);
    for (const Zmm& distances : {zmm3, zmm4}) {
        a_.vpaddq(distances, distances, zmm0);
        if (toElements != 0) a_.vprorq(distances, distances, toElements);
        a_.vpmovusqd(distances.ymm(), distances);
    }
    a_.vinserti64x4(zmm3, zmm3, ymm4, 1);
}

/// Jumps unless the numbers of all lanes that are on are less.
void Near::unlessBelow(const Lanes16& l, std::uint32_t bound, const Label& otherwise) {
    a_.vpcmpud(k3, zmm3, numbers_.of(sixteen(bound, 0)), kLess);
    if (l.whole) {
        a_.kortestw(k3, k3);
        a_.forgetTestedMasks();
        a_.jnc(otherwise);
    } else {
        a_.kandnw(k4, k3, k5);
        a_.kortestw(k4, k4);
        a_.forgetTestedMasks();
        a_.jnz(otherwise);
    }
}

/// As for lanes that run on.
void Near::fetchAhead(const Lanes16& l, std::uint32_t lines) {
    if (l.space == MemorySpace::global) access_.fetchAhead(lines * kLine, false);
}

void Near::load(const Lanes16& l, const std::vector<Zmm>& results, const Label& done) {
    const Label far = a_.newForwardLabel();
    const auto n = static_cast<std::uint32_t>(results.size());
    const bool byBits = l.whole && n == 1 && l.space == MemorySpace::local;
    if (byBits) {  // both whether they are aligned and whether they are in the lines
        numberBytes();
        a_.jumpIfAnyHas(zmm3, numbers_.of(sixteen(kOutside, 0)), far);
        a_.vpsrld(zmm3, zmm3, kToDwords);
    } else {
        number(l, sizeof(std::uint32_t));
        unlessBelow(l, kDwords - (n - 1), far);
    }
    access_.findRun(l.area, 2 * kLine, far);
    fetchAhead(l, 2);
    a_.vmovdqu32(zmm0, ptr(rcx, 0, kLine));
    for (std::uint32_t k = 0; k < n; ++k) {
        const bool last = k + 1 == n;
        const Zmm component = last ? zmm3 : zmm4;
        if (!last) a_.vmovdqa32(zmm4, zmm3);
        a_.vpermi2d(component, zmm0, ptr(rcx, kLine, kLine));
        access_.ofRun(l, 0).vmovdqa32(results[k], component);
        if (!last) a_.vpaddd(zmm3, zmm3, numbers_.of(sixteen(1, 0)));
    }
    a_.forgetTemporaries();
    a_.jmp(done);
    a_.bind(far);
    if (!a_.hasExpansion()) return;
    if (byBits) a_.vprord(zmm3, zmm3, kToDwords);
    loadFromFour(l, results, done);
}

/// For lanes in four lines, by their numbers in zmm3: a permutation of two lines, and one of the others.
void Near::loadFromFour(const Lanes16& l, const std::vector<Zmm>& results, const Label& done) {
    const Label far = a_.newLabel();
    const auto n = static_cast<std::uint32_t>(results.size());
    unlessBelow(l, 2 * kDwords - (n - 1), far);
    access_.findRun(l.area, 4 * kLine, far);
    fetchAhead(l, 4);
    a_.vmovdqu32(zmm0, ptr(rcx, 0, kLine));
    a_.vmovdqu32(zmm1, ptr(rcx, 2 * kLine, kLine));
    for (std::uint32_t k = 0; k < n; ++k) {
        if (k != 0) a_.vpaddd(zmm3, zmm3, numbers_.of(sixteen(1, 0)));
        a_.vpcmpud(k3, zmm3, numbers_.of(sixteen(kDwords - 1, 0)), kGreater);
        a_.vmovdqa32(zmm4, zmm3);
        a_.vmovdqa32(zmm2, zmm3);
        a_.vpermi2d(zmm4, zmm0, ptr(rcx, kLine, kLine));
        a_.vpermi2d(zmm2, zmm1, ptr(rcx, 3 * kLine, kLine));
        a_.k(k3).vmovdqa32(zmm4, zmm2);
        access_.ofRun(l, 0).vmovdqa32(results[k], zmm4);
    }
    a_.forgetTemporaries();
    a_.jmp(done);
    a_.bind(far);
}

/// Elements lie in one dword each, since one that is not aligned has no number.
void Near::loadNarrow(const Lanes16& l, const Zmm& result, const Label& done) {
    constexpr std::uint32_t kBitsOfDword = 32;
    const Label far = a_.newLabel();
    const std::uint32_t perDword = sizeof(std::uint32_t) / l.bytes;
    const std::uint32_t bits = kBitsOfDword / perDword;
    number(l, l.bytes);
    unlessBelow(l, kDwords * perDword, far);
    access_.findRun(l.area, 2 * kLine, far);
    fetchAhead(l, 2);
    a_.vmovdqu32(zmm0, ptr(rcx, 0, kLine));
    a_.vpsrld(zmm4, zmm3, std::countr_zero(perDword));
    a_.vpermi2d(zmm4, zmm0, ptr(rcx, kLine, kLine));
    a_.vpslld(zmm3, zmm3, std::countr_zero(bits));
    a_.vpandd(zmm3, zmm3, numbers_.of(sixteen(kBitsOfDword - bits, 0)));
    a_.vpsrlvd(zmm4, zmm4, zmm3);
    access_.ofRun(l, 0).vpandd(result, zmm4, numbers_.of(sixteen((1u << bits) - 1, 0)));
    a_.forgetTemporaries();
    a_.jmp(done);
    a_.bind(far);
}

/// Each lane has one bit or none: all of them in edx.
void Near::gatherBits(const Zmm& single) {
    const auto half = zmm4;
    a_.vextracti64x4(half.ymm(), single, 1);
    a_.vporq(single.ymm(), single.ymm(), half.ymm());
    a_.vextracti128(half.xmm(), single.ymm(), 1);
    a_.vpor(single.xmm(), single.xmm(), half.xmm());
    a_.vpsrldq(half.xmm(), single.xmm(), 8);
    a_.vpor(single.xmm(), single.xmm(), half.xmm());
    a_.vmovq(rdx, single.xmm());
    a_.mov(rax, rdx);
    a_.shr(rax, 32);
    a_.or_(edx, eax);
}

void Near::storeButterfly(const Lanes16& l, const Zmm& data, const Label& done) {
    const Label far = a_.newForwardLabel();
    numberBytes();
    access_.findRun(l.area, 2 * kLine, far);
    a_.storeButterfly(zmm3, data, far);
    a_.forgetTemporaries();
    a_.jmp(done);
    a_.bind(far);
}

/// Lanes that do not lie in their order may share memory, and are not near.
void Near::store(const Lanes16& l, const Zmm& data, const Label& done) {
    if (storesButterfly(l)) return storeButterfly(l, data, done);
    const Label far = a_.newForwardLabel();
    number(l, sizeof(std::uint32_t));
    // Each before the next, and the last before the end.
    a_.vmovdqu32(zmm0, numbers_.of(sixteen(kDwords, 0)));
    a_.valignd(zmm5, zmm0, zmm3, 1);
    a_.vpcmpud(k3, zmm3, zmm5, kLess);
    a_.kortestw(k3, k3);
    a_.jnc(far);
    access_.findRun(l.area, 2 * kLine, far);
    a_.vmovdqu32(zmm0, numbers_.of(sixteen(1, 0)));
    if (!l.whole) a_.k(k5).z();
    a_.vpsllvd(zmm0, zmm0, zmm3);
    gatherBits(zmm0);
    Zmm packed = data;
    if (!l.whole) {
        packed = zmm5;
        a_.k(k5).z().vpcompressd(packed, data);
    }
    a_.kmovd(k3, edx);
    a_.k(k3).z().vpexpandd(zmm0, packed);
    a_.k(k3).vmovdqu32(ptr(rcx, 0, kLine), zmm0);
    a_.movzx(edx, dx);
    a_.popcnt(edx, edx);
    a_.vpbroadcastd(zmm0, edx);
    a_.vpaddd(zmm0, zmm0, numbers_.of(sixteen(0, 1)));
    a_.vpermd(zmm0, zmm0, packed);
    a_.kshiftrd(k3, k3, kDwords / 2);
    a_.k(k3).z().vpexpandd(zmm0, zmm0);
    a_.k(k3).vmovdqu32(ptr(rcx, kLine, kLine), zmm0);
    a_.forgetTemporaries();
    a_.jmp(done);
    a_.bind(far);
}

}  // namespace zetl::emulator::translate
