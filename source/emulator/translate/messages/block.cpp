// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Loads and stores of blocks: one address, one check, whole registers.
#include "emulator/translate/messages/block.h"

#include <bit>

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::BlockAccess;
using isa::MemorySpace;

namespace {

constexpr std::int32_t kAlignmentMask = 3;

}  // namespace

/// Finds the block's host address, in rcx. `held`: its address is the lane that is held.
void BlockMessages::find(const Step& m, const BlockAccess& access, bool held, const Label& refused) {
    if (access.space == MemorySpace::global) host_.additions.unlessPending(refused);
    if (held)
        a_.vmovd(eax, RegisterCache::lane());
    else
        access.wideAddress ? a_.mov(rax, state(access.address, 8)) : a_.mov(eax, state(access.address, 4));
    a_.test(eax, kAlignmentMask);
    a_.jnz(refused);
    if (access.space == MemorySpace::local) a_.and_(eax, static_cast<std::int32_t>(isa::kLocalOffsetMask));
    access_.findRun(access_.areaOf(access.space, access.write, m), access.bytes, refused);
}

/// The same if the lane is on, between memory and the registers' home: they must be held alike whether it is or not.
bool BlockMessages::accessIfOn(const Step& m, const BlockAccess& access) {
    const Label refused = host_.seldomLabel();
    const Label off = a_.newLabel();
    host_.leaveBlock();
    if (!access.write) cache_.evict(access.registers, access.bytes);
    masks_.lanesTo(eax, m.mask);
    a_.test(eax, 1);
    a_.jz(off);
    find(m, access, false, refused);
    for (std::uint32_t at = 0; at < access.bytes;) {
        const std::uint32_t left = access.bytes - at;
        const std::uint32_t bytes = left >= 64 ? 64 : left >= 32 ? 32 : left >= 16 ? 16 : left >= 8 ? 8 : 4;
        const Mem memory = ptr(rcx, static_cast<std::int32_t>(at), bytes);
        const Mem home = state(access.registers + at, bytes);
        host_.moveBytes(bytes, access.write ? home : memory, access.write ? memory : home);
        at += bytes;
    }
    if (const Traffic traffic = access_.trafficOf(access.space, access.write); traffic.cell)
        a_.add(field(*traffic.cell, 8), static_cast<std::int32_t>(access.bytes));
    host_.otherwiseStep(m, refused, {});
    a_.bind(off);
    return true;
}

/// Loads a part of a slot that no register holds. To load the rest of the slot, the host would wait for each single
/// number that was just stored there.
bool BlockMessages::loadHome(std::uint32_t place, const Mem& memory, std::uint32_t bytes) {
    if (!std::has_single_bit(bytes) || cache_.held(place)) return false;
    cache_.evict(place, bytes);
    host_.moveBytes(bytes, memory, state(place, bytes));
    return true;
}

/// Between registers and memory at rcx.
void BlockMessages::move(const BlockAccess& access) {
    for (std::uint32_t at = 0; at < access.bytes; at += RegisterCache::kSlotBytes) {
        cache_.release();
        const std::uint32_t place = access.registers + at;
        const Mem memory = ptr(rcx, static_cast<std::int32_t>(at), 64);
        if (access.bytes - at >= RegisterCache::kSlotBytes) {
            access.write ? a_.vmovdqu32(memory, cache_.read(place)) : a_.vmovdqu32(cache_.replace(place), memory);
            continue;
        }
        if (!access.write && loadHome(place, memory, access.bytes - at)) return;
        a_.mov(eax, (1 << (access.bytes - at) / 4) - 1);
        a_.kmovd(k3, eax);
        const Zmm reg = access.write ? cache_.read(place) : cache_.update(place);
        access.write ? a_.k(k3).vmovdqu32(memory, reg) : a_.k(k3).vmovdqu32(reg, memory);
    }
}

void BlockMessages::load(const BlockAccess& access, const Area& area, const Label& refused) {
    a_.test(eax, kAlignmentMask);
    a_.jnz(refused);
    access_.findRun(area, access.bytes, refused);
    move(access);
}

bool BlockMessages::access(const Step& m) {
    const auto access = BlockAccess::of(m);
    const bool on =
        m.mask.predicate == isa::Predicate::none && (m.mask.noMask || (masks_.knownActive() >> m.mask.shift & 1) != 0);
    if (access.bytes % 4 != 0 || access.registers % RegisterCache::kSlotBytes != 0 || access.bytes == 0 ||
        access.bytes > 512)
        return false;
    if (access.space != MemorySpace::global && access.wideAddress) return false;
    if (!on) return accessIfOn(m, access);
    const Label refused = host_.seldomLabel();
    cache_.store(access.address, access.wideAddress ? 8 : 4);
    if (!access.write) cache_.store(access.registers, access.bytes);
    const bool held = !access.wideAddress && cache_.isLane(access.address, 4);
    auto unstored = cache_.defer(access.bytes / RegisterCache::kSlotBytes + 1);
    find(m, access, held, refused);
    move(access);
    if (const Traffic traffic = access_.trafficOf(access.space, access.write); traffic.cell)
        a_.add(field(*traffic.cell, 8), static_cast<std::int32_t>(access.bytes));
    host_.otherwiseStep(m, refused, std::move(unstored));
    return true;
}

}  // namespace zetl::emulator::translate
