// Thirty-two lanes of a message that all run on: one check and one find for both halves.
#include "emulator/translate/emitter.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::MemorySpace;

namespace {

constexpr std::uint32_t kHalf = 16;  // lanes

}  // namespace

bool Emitter::movesTogether(const Lanes16& l, std::uint32_t chunks) {
    return l.whole && chunks == 2 && l.access.components == 1 && l.bytes >= 4 &&
           l.access.addresses % RegisterCache::kSlotBytes == 0;
}

/// Loads or stores all lanes if each lies behind the one before, and goes to `done`; the halves by themselves follow.
/// What both ways need is in registers before they part.
void Emitter::moveTogether(Lanes16 l, bool write, const Label& done) {
    const bool wide = l.space == MemorySpace::global;
    const std::uint32_t vectors = wide ? 2 : 1;  // of addresses, a half
    const Label halves = a_.newLabel();
    std::vector<Zmm> data;
    for (l.chunk = 0; l.chunk < 2; ++l.chunk)
        for (std::uint32_t p = 0; p < l.bytes / 4; ++p) data.push_back(write ? dataOf(l, 0, p) : resultOf(l, 0, p));
    std::vector<Zmm> addresses;
    for (std::uint32_t v = 0; v < 2 * vectors; ++v)
        addresses.push_back(cache_.read(l.access.addresses + v * RegisterCache::kSlotBytes));
    readDistances(l, l.bytes);
    readDistances(l, 0);
    wide ? a_.vmovq(rax, addresses[0].xmm()) : a_.vmovd(eax, addresses[0].xmm());
    unlessTogether(l, addresses, halves);
    if (l.space == MemorySpace::local) a_.and_(eax, static_cast<std::int32_t>(isa::kLocalOffsetMask));
    findRun(l.area, 2 * kHalf * l.bytes, halves);
    if (wide) fetchAhead(2 * kHalf * l.bytes, write);
    for (std::size_t n = 0; n < data.size(); ++n) {
        const Mem at = ptr(rcx, static_cast<std::int32_t>(n * RegisterCache::kSlotBytes), RegisterCache::kSlotBytes);
        write ? a_.vmovdqu64(at, data[n]) : a_.vmovdqu64(data[n], at);
    }
    a_.forgetTemporaries();
    a_.jmp(done);
    a_.bind(halves);
}

/// Jumps if a lane of either half does not lie behind the one before it. The first address is in rax.
void Emitter::unlessTogether(const Lanes16& l, const std::vector<Zmm>& addresses, const Label& otherwise) {
    const std::uint32_t half = kHalf * l.bytes;
    if (l.space != MemorySpace::global) {
        const Zmm distance = shortDistances(l.bytes);
        a_.vpbroadcastd(zmm0, addresses[0].xmm());
        a_.vpsubd(zmm3, addresses[0], zmm0);
        a_.lea(ecx, ptr(rax, static_cast<std::int32_t>(half)));
        a_.vpbroadcastd(zmm0, ecx);
        a_.vpsubd(zmm4, addresses[1], zmm0);
        a_.vpcmpeqd(k3, zmm3, distance);
        a_.k(k3).vpcmpeqd(k3, zmm4, distance);
    } else {
        a_.vpbroadcastq(zmm0, addresses[0].xmm());
        a_.vpsubq(zmm3, addresses[0], zmm0);
        a_.vpsubq(zmm4, addresses[1], zmm0);
        a_.lea(rcx, ptr(rax, static_cast<std::int32_t>(half)));
        a_.vpbroadcastq(zmm0, rcx);
        a_.vpsubq(zmm1, addresses[2], zmm0);
        a_.vpsubq(zmm2, addresses[3], zmm0);
        a_.vpcmpeqq(k3, zmm3, distances(l.bytes, 0));
        a_.k(k3).vpcmpeqq(k3, zmm1, distances(l.bytes, 0));
        a_.vpcmpeqq(k4, zmm4, distances(l.bytes, 1));
        a_.k(k4).vpcmpeqq(k4, zmm2, distances(l.bytes, 1));
        a_.kunpckbw(k3, k4, k3);
    }
    a_.kortestw(k3, k3);
    a_.jnc(otherwise);
}

}  // namespace zetl::emulator::translate
