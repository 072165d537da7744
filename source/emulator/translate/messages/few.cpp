// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/messages/few.h"

#include <algorithm>

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::MemorySpace;
namespace layout = isa::layout;

namespace {

// A gather of sixteen lanes takes Zen 4 as long as seven to twelve of these, less a wrong guess of their number.
constexpr std::int32_t kFewLanes = 6;
// In the working space.
constexpr std::uint32_t kFewOffsets = layout::kLanes;
constexpr std::uint32_t kFewData = layout::kResult;

bool hasLongOffsets(const Lanes16& l) { return l.space == MemorySpace::global; }

}  // namespace

bool Few::mayLoad(const Lanes16& l) const { return !l.whole && !a_.hasFewRegisters(); }
/// Without AVX-512 a scatter goes lane by lane, too, and takes no longer than a wrong guess of their number.
bool Few::mayStore(const Lanes16& l) const {
    const bool scatters = a_.hasFewRegisters() && !hasLongOffsets(l);
    return !l.whole && l.access.components == 1 && l.bytes >= 4 && !scatters;
}

void Few::takePlaces() {
    cache_.evict(kFewOffsets, kMessageLanes * sizeof(std::uint64_t));
    cache_.evict(kFewData, kMessageLanes * sizeof(std::uint64_t));
}

void Few::load(const Lanes16& l, const std::vector<Zmm>& results, const Label& done) {
    const Label many = a_.newForwardLabel();
    const Label next = a_.newLabel();
    unlessFew(many);
    setOffsets(l);
    a_.bind(next);
    toLane(l);
    loadLane(l, results);
    nextLane(next, done);
    a_.bind(many);
}

void Few::store(const Lanes16& l, const std::vector<Zmm>& data, const Label& done) {
    const Label many = a_.newForwardLabel();
    unlessFew(many);
    storeEach(l, data, done);
    a_.bind(many);
}

void Few::storeEach(const Lanes16& l, const std::vector<Zmm>& data, const Label& done) {
    const Label next = a_.newLabel();
    a_.kmovw(edx, k5);
    setOffsets(l);
    for (std::size_t v = 0; v < data.size(); ++v)
        a_.vmovdqa64(state(kFewData + static_cast<std::uint32_t>(v) * RegisterCache::kSlotBytes, 64), data[v]);
    a_.forgetIntermediates();
    a_.bind(next);
    toLane(l);
    storeLane(l);
    nextLane(next, done);
}

/// The lanes that are on in edx, at least one.
void Few::unlessFew(const Label& otherwise) {
    a_.kmovw(edx, k5);
    a_.popcnt(eax, edx);
    a_.cmp(eax, kFewLanes);
    a_.ja(otherwise);
}

void Few::setOffsets(const Lanes16& l) {
    a_.vmovdqa64(state(kFewOffsets, 64), zmm1);
    if (hasLongOffsets(l)) a_.vmovdqa64(state(kFewOffsets + RegisterCache::kSlotBytes, 64), zmm2);
}

/// The number of the first lane in r8, and its host address in rax.
void Few::toLane(const Lanes16& l) {
    const auto offsets = static_cast<std::int32_t>(kFewOffsets);
    a_.tzcnt(r8d, edx);
    hasLongOffsets(l) ? a_.mov(rax, ptr(rbx, r8, 3, offsets, 8)) : a_.mov(eax, ptr(rbx, r8, 2, offsets, 4));
    a_.add(rax, rcx);
}
void Few::nextLane(const Label& next, const Label& done) {
    a_.blsr(edx, edx);
    a_.jnz(next);
    a_.forgetTemporaries();
    a_.jmp(done);
}

void Few::loadLane(const Lanes16& l, const std::vector<Zmm>& results) {
    a_.blsi(r9d, edx);
    a_.kmovd(k3, r9d);
    if (l.bytes < 4) {
        a_.movzx(eax, ptr(rax, 0, l.bytes));
        a_.k(k3).vpbroadcastd(results[0], eax);
        return;
    }
    if (l.bytes == 8) a_.kshiftrw(k4, k3, 8);
    for (std::uint32_t k = 0; k < l.access.components; ++k) {
        const Mem element = ptr(rax, static_cast<std::int32_t>(k * l.bytes), l.bytes);
        if (l.bytes == 4) {
            a_.k(k3).vpbroadcastd(results[k], element);
        } else {
            a_.k(k3).vpbroadcastq(results[k * 2], element);
            a_.k(k4).vpbroadcastq(results[k * 2 + 1], element);
        }
    }
}

void Few::storeLane(const Lanes16& l) {
    const bool wide = l.bytes == 8;
    const std::uint32_t bytes = std::max(l.bytes, 4u);
    const Gp value = wide ? Gp(r9) : Gp(r9d);
    a_.mov(value, ptr(rbx, r8, wide ? 3 : 2, static_cast<std::int32_t>(kFewData), bytes));
    a_.mov(ptr(rax, 0, l.bytes), l.bytes == 1 ? Gp(r9b) : l.bytes == 2 ? Gp(r9w) : value);
}

}  // namespace zetl::emulator::translate
