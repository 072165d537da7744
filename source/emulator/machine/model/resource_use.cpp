#include "emulator/machine/model/resource_use.h"

#include <algorithm>

#include "emulator/machine/model/memory_system.h"
#include "emulator/machine/model/share.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint64_t parts(std::uint64_t all, std::uint64_t of) noexcept { return (all + of - 1) / of; }

/// Cycles of the busiest kind of pipe, all engines: Counter::issueCycles is about the fullest engine.
std::uint64_t pipeCycles(const Counts& alone, const GroupNeed& need, const DeviceProfile& profile) noexcept {
    const std::uint64_t groups = parts(alone[Counter::groups], profile.subslices());
    const std::uint64_t fullest = parts(groups * need.threads, profile.eusPerSubslice);
    return share(alone[Counter::issueCycles], alone[Counter::threads], fullest);
}

std::uint64_t unitCycles(const Counts& alone, const TimingModel& timing) noexcept {
    const std::uint64_t lines = alone[Counter::l1Reads] + alone[Counter::l1Writes] + alone[Counter::l3Atomics];
    const std::uint64_t local = alone[Counter::slmReads] + alone[Counter::slmWrites] + alone[Counter::slmAtomics];
    return share(lines, timing.lineBytes, timing.l1BytesPerCycle) + local + alone[Counter::slmBankConflicts];
}

std::uint64_t linkCycles(const Counts& alone, const TimingModel& timing) noexcept {
    const std::uint64_t lines = alone[Counter::l3Reads] + alone[Counter::l3Writes] + alone[Counter::l3Atomics];
    return lines * std::max(1u, timing.lineBytes / timing.l3BytesPerCycle);
}

std::uint64_t memoryCycles(const Counts& alone, const DeviceProfile& profile) noexcept {
    const std::uint64_t bytes = alone[Counter::memoryBytesRead] + alone[Counter::memoryBytesWritten] +
                                alone[Counter::systemBytesRead] + alone[Counter::systemBytesWritten];
    return share(bytes / profile.timing.lineBytes, MemorySystem::partsOfLine(profile), MemoryWay::kParts);
}

}  // namespace

ResourceUse useOf(const Counts& alone, const GroupNeed& need, const DeviceProfile& profile) noexcept {
    const std::uint64_t cycles = alone[Counter::workCycles];
    const std::uint64_t occupied = alone[Counter::occupiedCycles];
    ResourceUse use{};
    const auto set = [&](Resource resource, std::uint64_t taken, std::uint64_t places) {
        const std::uint64_t part = share(kFullUse, taken, cycles * places);
        use[static_cast<std::size_t>(resource)] = static_cast<std::uint32_t>(std::min<std::uint64_t>(part, kFullUse));
    };
    set(Resource::slots, occupied * need.slots, profile.threads());
    set(Resource::localMemory, share(occupied, need.slmBytes, need.threads),
        std::uint64_t{profile.subslices()} * profile.slmBytes);
    set(Resource::pipes, pipeCycles(alone, need, profile), profile.eus());
    set(Resource::units, unitCycles(alone, profile.timing), profile.subslices());
    set(Resource::links, linkCycles(alone, profile.timing), profile.subslices());
    set(Resource::memory, memoryCycles(alone, profile), 1);
    return use;
}

}  // namespace zetl::emulator::machine
