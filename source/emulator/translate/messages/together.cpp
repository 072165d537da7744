// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Both halves of a message of thirty-two lanes, where all run on: one find for both.
#include "emulator/translate/messages/together.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::MemorySpace;

namespace {

constexpr std::uint32_t kHalf = 16;  // lanes

}  // namespace

bool Together::movesTogether(const Lanes16& l, std::uint32_t chunks) const {
    return !a_.hasFewRegisters() && l.whole && chunks == 2 && l.access.components == 1 && l.bytes >= 4 &&
           l.access.addresses % RegisterCache::kSlotBytes == 0;
}

/// What the second half needs, read before ways part.
SecondHalf Together::secondHalf(Lanes16 l, bool write, const Label& done) {
    SecondHalf second{.done = done, .data = {}, .addresses = {}};
    l.chunk = 1;
    for (std::uint32_t p = 0; p < l.bytes / 4; ++p)
        second.data.push_back(write ? access_.dataOf(l, 0, p) : access_.resultOf(l, 0, p));
    const std::uint32_t vectors = l.space == MemorySpace::global ? 2 : 1;
    for (std::uint32_t v = 0; v < vectors; ++v)
        second.addresses.push_back(cache_.read(l.access.addresses + (vectors + v) * RegisterCache::kSlotBytes));
    return second;
}

/// Where the first half runs on, and its address is in rax: moves both, if the second goes on behind it.
void Together::moveTogether(const Lanes16& l, const std::vector<Zmm>& first, bool write) {
    const SecondHalf& second = *l.second;
    const Label alone = a_.newLabel();
    unlessBehind(l, alone);
    access_.findRun(l.area, 2 * kHalf * l.bytes, alone);
    if (l.space == MemorySpace::global) access_.fetchAhead(2 * kHalf * l.bytes, write);
    std::int32_t at = 0;
    for (const std::vector<Zmm>* data : {&first, &second.data}) {
        for (const Zmm& vector : *data) {
            const Mem there = ptr(rcx, at, RegisterCache::kSlotBytes);
            write ? a_.vmovdqu64(there, vector) : a_.vmovdqu64(vector, there);
            at += RegisterCache::kSlotBytes;
        }
    }
    a_.forgetTemporaries();
    a_.jmp(second.done);
    a_.bind(alone);
}

/// Jumps if the second half's lanes do not follow the first's; in most such cases they begin elsewhere.
void Together::unlessBehind(const Lanes16& l, const Label& otherwise) {
    const std::vector<Zmm>& addresses = l.second->addresses;
    const auto half = static_cast<std::int32_t>(kHalf * l.bytes);
    if (l.space != MemorySpace::global) {
        a_.vmovd(ecx, addresses[0].xmm());
        if (l.displacement != 0) a_.add(ecx, l.displacement);
        if (l.space == MemorySpace::local) a_.and_(ecx, static_cast<std::int32_t>(isa::kLocalOffsetMask));
        a_.lea(edx, ptr(rax, half));
        a_.cmp(ecx, edx);
        a_.jne(otherwise);
        a_.vpbroadcastd(zmm0, addresses[0].xmm());
        a_.vpsubd(zmm3, addresses[0], zmm0);
    } else {
        a_.vmovq(rcx, addresses[0].xmm());
        if (l.displacement != 0) a_.add(rcx, l.displacement);
        a_.lea(rdx, ptr(rax, half));
        a_.cmp(rcx, rdx);
        a_.jne(otherwise);
        a_.vpbroadcastq(zmm0, addresses[0].xmm());
        a_.vpsubq(zmm3, addresses[0], zmm0);
        a_.vpsubq(zmm4, addresses[1], zmm0);
    }
    access_.unlessApart(l, l.bytes, otherwise);
}

}  // namespace zetl::emulator::translate
