// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Dwords by lanes with near addresses, in the two lines of the host's cache that begin with the first lane's address:
// every second one, those of a butterfly, reversed ones. Two loads and a permutation do the work of a gather, and an
// expansion and two masked stores that of a scatter, which takes the host three to eight times as long. For other lanes
// the code goes on behind, where only temporary registers have changed.
#include "emulator/translate/messages/near.h"

#include <bit>

#include "emulator/translate/messages/interleaved.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::MemorySpace;

namespace {

constexpr std::int32_t kLine = 64;
constexpr std::uint32_t kDwords = 2 * kLine / 4;
constexpr std::uint8_t kLess = 1;

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
bool Near::mayStore(const Lanes16& l) const { return l.access.components == 1 && a_.hasExpansion() && mayLoad(l); }

/// The lanes' dwords in zmm3, by number in the two lines, one without such a number as a larger one; in rax where these
/// begin. From the first address in rax and the distances from it in zmm3 and zmm4.
void Near::number(const Lanes16& l) {
    const auto inLine = kLine - 1;
    const auto toDwords = std::countr_zero(sizeof(std::uint32_t));
    a_.mov(ecx, eax);
    a_.and_(ecx, inLine);
    a_.and_(rax, ~inLine);
    if (l.space != MemorySpace::global) {
        a_.vpbroadcastd(zmm0, ecx);
        a_.vpaddd(zmm3, zmm3, zmm0);
        a_.vprord(zmm3, zmm3, toDwords);
        return;
    }
    a_.vpbroadcastq(zmm0, rcx);
    for (const Zmm& distances : {zmm3, zmm4}) {
        a_.vpaddq(distances, distances, zmm0);
        a_.vprorq(distances, distances, toDwords);
        a_.vpmovusqd(distances.ymm(), distances);
    }
    a_.vinserti64x4(zmm3, zmm3, ymm4, 1);
}

void Near::load(const Lanes16& l, const std::vector<Zmm>& results, const Label& done) {
    const Label far = a_.newLabel();
    const auto n = static_cast<std::uint32_t>(results.size());
    number(l);
    a_.vpcmpud(k3, zmm3, numbers_.of(sixteen(kDwords - (n - 1), 0)), kLess);
    if (l.whole) {
        a_.kortestw(k3, k3);
        a_.jnc(far);
    } else {
        a_.kandnw(k4, k3, k5);
        a_.kortestw(k4, k4);
        a_.jnz(far);
    }
    access_.findRun(l.area, 2 * kLine, far);
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

/// Lanes that do not lie in their order may share memory, and are not near.
void Near::store(const Lanes16& l, const Zmm& data, const Label& done) {
    const Label far = a_.newLabel();
    number(l);
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
