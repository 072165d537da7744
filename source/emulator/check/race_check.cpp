#include "emulator/check/race_check.h"

#include <algorithm>
#include <bit>

#include "emulator/check/stored_value.h"

namespace zetl::emulator::check {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

template <class F>
void eachLane(std::uint32_t lanes, F&& f) {
    for (; lanes != 0; lanes &= lanes - 1) f(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

/// Of a granule, the bytes in [first, first + bytes).
std::uint8_t bytesIn(std::uint64_t granule, std::uint64_t first, std::uint64_t bytes) noexcept {
    const std::uint64_t begin = std::max(granule * kGranule, first) - granule * kGranule;
    const std::uint64_t end = std::min((granule + 1) * kGranule, first + bytes) - granule * kGranule;
    return static_cast<std::uint8_t>((1u << end) - (1u << begin));
}

/// Readers, one more among them.
Mark joined(const Mark& readers, const Mark& one) noexcept {
    if (readers.whose == Whose::none || readers.launch != one.launch) return one;
    Mark all = one;
    all.bytes = readers.bytes | one.bytes;
    all.atomic = readers.atomic && one.atomic;
    if (readers.whose == Whose::severalGroups || readers.group != one.group) {
        all.whose = Whose::severalGroups;
        return all;
    }
    if (readers.epoch != one.epoch) {
        all.bytes = one.bytes;
        return all;
    }
    if (readers.whose == Whose::severalThreads || readers.thread != one.thread) all.whose = Whose::severalThreads;
    return all;
}

/// Whether nothing orders what the mark shows and the accesses of `now`, which conflict.
bool isRace(const Mark& before, bool wasWrite, const Mark& now, const GroupState& group, Memory memory) noexcept {
    if (before.whose == Whose::none || before.launch != now.launch) return false;
    if ((before.bytes & now.bytes) == 0 || (before.atomic && now.atomic)) return false;
    if (before.whose == Whose::severalGroups || before.group != now.group)
        return memory == Memory::global && !group.acquired().hasGroup(before.group);
    const bool counted = before.epoch != Mark::kEpochMask && now.epoch != Mark::kEpochMask;
    if (!counted) return false;
    if (before.epoch == now.epoch) {
        if (before.whose == Whose::severalThreads) return true;
        return before.thread != now.thread && !group.acquired().hasThread(before.thread);
    }
    if (before.thread == now.thread || before.whose == Whose::severalThreads) return false;
    return wasWrite && !group.isVisible(before.thread, before.epoch, memory);
}

}  // namespace

void RaceCheck::local(GroupState& group, const Accessing& accessing) {
    Cells* const cells = group.local();
    if (cells == nullptr) return;
    lanes(group, accessing, accessing.access.lanes, {Memory::local, *cells, 0, nullptr});
}

void RaceCheck::global(GroupState& group, const Accessing& accessing, std::uint32_t which, Cells& cells,
                       const machine::Allocation& allocation) {
    lanes(group, accessing, which, {Memory::global, cells, allocation.begin, &allocation});
}

void RaceCheck::lanes(GroupState& group, const Accessing& accessing, std::uint32_t which, const Place& place) {
    const isa::MemoryAccess& access = accessing.access;
    if (access.atomic)
        eachLane(which, [&](std::uint32_t lane) { group.atomic(accessing.index, access.address[lane], clock_); });
    Mark mark;
    mark.whose = Whose::thread;
    mark.atomic = access.atomic;
    mark.thread = static_cast<std::uint8_t>(accessing.index);
    mark.epoch = static_cast<std::uint16_t>(std::min(group.epoch(), Mark::kEpochMask));
    mark.group = static_cast<std::uint32_t>(group.group() & ((1u << kGroupBits) - 1));
    mark.launch = static_cast<std::uint16_t>(accessing.launch & Mark::kLaunchMask);
    eachLane(which, [&](std::uint32_t lane) { this->lane(group, accessing, lane, place, mark); });
    if (access.write) group.wrote(accessing.index, place.memory);
}

void RaceCheck::lane(GroupState& group, const Accessing& accessing, std::uint32_t lane, const Place& place, Mark mark) {
    const isa::MemoryAccess& access = accessing.access;
    const std::uint64_t first = access.address[lane] - place.begin;
    const std::uint64_t bytes = access.bytesPerLane;
    for (std::uint64_t granule = first / kGranule; granule * kGranule < first + bytes; ++granule) {
        if (granule >= place.cells.count()) return;
        Cell& cell = place.cells[granule];
        mark.bytes = bytesIn(granule, first, bytes);
        const Mark writer = Mark::unpacked(cell.write.load(kRelaxed));
        if (isRace(writer, true, mark, group, place.memory))
            report(group, accessing, lane, place, writer, cell.writeLine.load(kRelaxed), true);
        const Mark readers = Mark::unpacked(cell.read.load(kRelaxed));
        if (!access.write) {
            cell.read.store(joined(readers, mark).packed(), kRelaxed);
            cell.readLine.store(accessing.line, kRelaxed);
            continue;
        }
        if (isRace(readers, false, mark, group, place.memory))
            report(group, accessing, lane, place, readers, cell.readLine.load(kRelaxed), false);
        cell.write.store(mark.packed(), kRelaxed);
        cell.writeLine.store(accessing.line, kRelaxed);
    }
}

void RaceCheck::report(const GroupState& group, const Accessing& accessing, std::uint32_t lane, const Place& place,
                       const Mark& before, isa::Line line, bool wasWrite) {
    using zetl::check::Kind;
    const isa::MemoryAccess& access = accessing.access;
    Observation observation;
    const bool local = place.memory == Memory::local;
    observation.kind = local ? Kind::raceLocal : Kind::raceGlobal;
    if (wasWrite && access.write && !access.atomic && !before.atomic) {
        const std::byte* const memory = local ? accessing.thread.local.data() + access.address[lane]
                                              : reinterpret_cast<const std::byte*>(access.address[lane]);
        const isa::Instruction& in = accessing.thread.program->instruction(accessing.line);
        const bool inside = !local || access.address[lane] + access.bytesPerLane <= accessing.thread.local.size();
        if (inside && storesSame(accessing.thread, in, lane, memory)) observation.kind = Kind::raceSameValue;
    }
    const auto accessOf = [](bool atomic, bool write) {
        return atomic ? Access::atomic : write ? Access::write : Access::read;
    };
    observation.launch = accessing.launch;
    observation.program = accessing.program;
    observation.now = {accessOf(access.atomic, access.write), accessing.line, accessing.index, group.group(),
                       static_cast<std::int8_t>(lane)};
    // Of several groups the last one is named, which may be this one.
    observation.before = Toucher{accessOf(before.atomic, wasWrite), line, before.thread, before.group, -1};
    observation.address = access.address[lane];
    observation.bytes = access.bytesPerLane;
    if (place.allocation != nullptr) observation.allocation = *place.allocation;
    observations_.add(observation);
}

}  // namespace zetl::emulator::check
