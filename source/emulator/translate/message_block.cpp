// Loads and stores of blocks: one address, one check, whole registers.
#include "emulator/translate/emitter.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::BlockAccess;
using isa::MemorySpace;
using isa::Step;

bool Emitter::block(const Step& m) {
    constexpr std::int32_t kAlignmentMask = 3;
    const auto access = BlockAccess::of(m);
    const bool on =
        m.mask.predicate == isa::Predicate::none && (m.mask.noMask || (knownActive() >> m.mask.shift & 1) != 0);
    if (!on || access.bytes % 4 != 0 || access.registers % RegisterCache::kSlotBytes != 0 || access.bytes == 0 ||
        access.bytes > 512)
        return false;
    if (access.space != MemorySpace::global && access.wideAddress) return false;
    const Label refused = a_.newLabel();
    cache_.store(access.address, access.wideAddress ? 8 : 4);
    if (!access.write) cache_.store(access.registers, access.bytes);
    auto unstored = cache_.defer(access.bytes / RegisterCache::kSlotBytes + 1);
    access.wideAddress ? a_.mov(rax, state(access.address, 8)) : a_.mov(eax, state(access.address, 4));
    a_.test(eax, kAlignmentMask);
    a_.jnz(refused);
    if (access.space == MemorySpace::local) a_.and_(eax, static_cast<std::int32_t>(isa::kLocalOffsetMask));
    findRun(areaOf(access.space, access.write, m), access.bytes, refused);
    for (std::uint32_t at = 0; at < access.bytes; at += RegisterCache::kSlotBytes) {
        cache_.release();
        const std::uint32_t place = access.registers + at;
        const Mem memory = ptr(rcx, static_cast<std::int32_t>(at), 64);
        if (access.bytes - at >= RegisterCache::kSlotBytes) {
            access.write ? a_.vmovdqu32(memory, cache_.read(place)) : a_.vmovdqu32(cache_.replace(place), memory);
            continue;
        }
        a_.mov(eax, (1 << (access.bytes - at) / 4) - 1);
        a_.kmovd(k3, eax);
        const Zmm reg = access.write ? cache_.read(place) : cache_.update(place);
        access.write ? a_.k(k3).vmovdqu32(memory, reg) : a_.k(k3).vmovdqu32(reg, memory);
    }
    if (const Traffic traffic = trafficOf(access.space, access.write); traffic.cell)
        a_.add(field(*traffic.cell, 8), static_cast<std::int32_t>(access.bytes));
    otherwiseStep(m, refused, std::move(unstored));
    return true;
}

}  // namespace zetl::emulator::translate
