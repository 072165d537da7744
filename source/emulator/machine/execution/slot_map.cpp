#include "emulator/machine/execution/slot_map.h"

#include <algorithm>

namespace zetl::emulator::machine {

SlotMap::SlotMap(const DeviceProfile& profile) : profile_(profile) {
    subslices_.assign(profile.subslices(), {{}, profile.slmBytes, 0});
    for (std::uint32_t eu = 0; eu < profile.eusPerSubslice; ++eu) {
        SlotSet& engine = engines_.emplace_back();
        for (std::uint32_t thread = 0; thread < profile.threadsPerEu; ++thread)
            engine.set(eu * profile.threadsPerEu + thread);
    }
}

std::uint32_t SlotMap::loadedEngines(const SlotSet& taken) const noexcept {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(engines_, [&](const SlotSet& engine) { return (taken & engine).any(); }));
}

void SlotMap::advance(std::uint64_t now) noexcept {
    const std::uint64_t elapsed = now - std::min(now, changed_);
    total_.threads += elapsed * loadedThreads_;
    total_.engines += elapsed * loadedEngines_;
    total_.tiles += elapsed * (loadedThreads_ != 0);
    changed_ = std::max(changed_, now);
}

SlotMap::Occupancy SlotMap::occupancy(std::uint64_t now) const noexcept {
    const std::uint64_t elapsed = now - std::min(now, changed_);
    return {total_.threads + elapsed * loadedThreads_, total_.engines + elapsed * loadedEngines_,
            total_.tiles + elapsed * (loadedThreads_ != 0)};
}

bool SlotMap::possible(const DeviceProfile& profile, const Need& need) noexcept {
    return need.threads <= profile.usableThreadsPerSubslice(need.grfCount) &&
           profile.slmGiven(need.slmBytes) <= profile.slmBytes;
}

// Threads go to the EUs in turn. If an EU has registers for fewer threads than it has slots, each also takes the slots
// that lie so many further on.
void SlotMap::choose(const Subslice& subslice, const Need& need, Placement& placement) const {
    const std::uint32_t perEu = profile_.usableThreadsPerEu(need.grfCount);
    const std::uint32_t first = placement.subslice * profile_.threadsPerSubslice();
    for (std::uint32_t thread = 0; thread < perEu; ++thread) {
        for (std::uint32_t eu = 0; eu < profile_.eusPerSubslice; ++eu) {
            if (placement.slots.size() == need.threads) return;
            SlotSet slots;
            for (std::uint32_t slot = thread; slot < profile_.threadsPerEu; slot += perEu)
                slots.set(eu * profile_.threadsPerEu + slot);
            if ((subslice.taken & slots).any()) continue;
            placement.taken |= slots;
            placement.slots.push_back(first + eu * profile_.threadsPerEu + thread);
        }
    }
}

std::optional<Placement> SlotMap::place(const Need& need, std::uint64_t now) {
    const std::uint32_t slm = profile_.slmGiven(need.slmBytes);
    const auto roomier = [&](const Subslice& a, const Subslice& b) {
        const bool fits = a.slmFree >= slm;
        const bool otherFits = b.slmFree >= slm;
        return fits != otherFits ? fits : a.threads < b.threads;
    };
    const auto best = std::min_element(subslices_.begin(), subslices_.end(), roomier);
    if (best->slmFree < slm) return {};
    Placement placement{static_cast<std::uint32_t>(best - subslices_.begin()), {}, slm, {}};
    placement.slots.reserve(need.threads);
    choose(*best, need, placement);
    if (placement.slots.size() < need.threads) return {};
    take(placement, now);
    return placement;
}

void SlotMap::take(const Placement& placement, std::uint64_t now) {
    advance(now);
    Subslice& subslice = subslices_[placement.subslice];
    loadedEngines_ += loadedEngines(subslice.taken | placement.taken) - loadedEngines(subslice.taken);
    loadedThreads_ += static_cast<std::uint32_t>(placement.slots.size());
    subslice.taken |= placement.taken;
    subslice.threads += static_cast<std::uint32_t>(placement.taken.count());
    subslice.slmFree -= placement.slmBytes;
}

bool SlotMap::reclaim(const Placement& placement, std::uint64_t now) {
    const Subslice& subslice = subslices_[placement.subslice];
    if ((subslice.taken & placement.taken).any() || subslice.slmFree < placement.slmBytes) return false;
    take(placement, now);
    return true;
}

void SlotMap::release(const Placement& placement, std::uint64_t now) {
    advance(now);
    Subslice& subslice = subslices_[placement.subslice];
    loadedEngines_ -= loadedEngines(subslice.taken) - loadedEngines(subslice.taken & ~placement.taken);
    loadedThreads_ -= static_cast<std::uint32_t>(placement.slots.size());
    subslice.taken &= ~placement.taken;
    subslice.threads -= static_cast<std::uint32_t>(placement.taken.count());
    subslice.slmFree += placement.slmBytes;
}

}  // namespace zetl::emulator::machine
