// The closer look at a message, lane by lane: few messages come here.
#include <bit>
#include <utility>

#include "emulator/check/access_runs.h"
#include "emulator/check/checker.h"
#include "emulator/check/observed_line.h"
#include "emulator/machine/memory/allocation_table.h"

namespace zetl::emulator::check {

using zetl::check::Group;
using zetl::check::Kind;

namespace {

/// Whether all lanes access bytes of the allocation.
bool isWithin(const machine::Allocation& allocation, const isa::MemoryAccess& access) noexcept {
    if (access.bytesPerLane > allocation.bytes()) return false;
    const std::uint64_t last = allocation.bytes() - access.bytesPerLane;  // far below what has the highest bit
    std::uint64_t outside = 0;                                            // has that bit if one is
    const auto look = [&](std::uint64_t address) {
        const std::uint64_t distance = address - allocation.begin;
        outside |= distance | (last - distance);
    };
    if (access.lanes == ~0u)  // most often, and the compiler takes several at once
        for (const std::uint64_t address : access.address) look(address);
    for (std::uint32_t rest = access.lanes == ~0u ? 0 : access.lanes; rest != 0; rest &= rest - 1)
        look(access.address[static_cast<std::uint32_t>(std::countr_zero(rest))]);
    return outside >> 63 == 0;
}

}  // namespace

void Checker::globalAccess(const ObservedLine& line, GroupState& group, const isa::MemoryAccess& access) {
    const std::uint32_t own = line.launch().privateBytes != 0 ? privateAccess(line, group, access) : 0;
    if (own == 0) return sharedAccess(line, group, access);
    if (own == access.lanes) return;
    isa::MemoryAccess others = access;
    others.lanes &= ~own;
    sharedAccess(line, group, others);
}

std::uint32_t Checker::privateAccess(const ObservedLine& line, GroupState& group, const isa::MemoryAccess& access) {
    std::uint32_t lanes = 0;
    for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (line.isPrivate(access.address[lane])) lanes |= 1u << lane;
    }
    if (lanes == 0) return 0;
    const machine::Launch& launch = line.launch();
    const isa::Instruction& in = line.thread.program->instruction(line.number);
    const isa::AccessShape& shape = line.checked.access->shape;
    PrivateLanes& owners = group.thread(line.context.index).privateLanes;
    if (!owners.keepsPlaces() && shape.write && access.bytesPerLane == sizeof(std::uint64_t) && !shape.block &&
        in.source[1].isGrf()) {
        // Unoptimized code begins with copies of the arguments. Optimized code has no reason for them.
        const std::uint32_t place = in.source[1].number * isa::layout::kRegisterBytes;
        const auto last = static_cast<std::uint32_t>(31 - std::countl_zero(lanes));
        const auto value = line.thread.at<std::uint64_t>(place + last * sizeof(std::uint64_t));
        bool same = last != 0;
        for (std::uint32_t lane = 0; lane < last && same; ++lane)
            same = (lanes >> lane & 1) == 0 ||
                   line.thread.at<std::uint64_t>(place + lane * sizeof(std::uint64_t)) == value;
        const machine::Allocation* const found = same ? machine_.memory().table().find(value) : nullptr;
        if (found != nullptr && !line.isPrivate(value)) owners.keepPlaces();
    }
    const std::uint32_t wrong =
        owners.access(access, lanes,
                      {launch.privateBase + line.context.slot * launch.privateBytes, launch.privateBytes, in.offset,
                       in.noMask || shape.block || shape.block2d || line.checked.inCallingProgram});
    if (wrong != 0 && groups_.has(Group::memory))
        report(line, Kind::privateMemory, access, static_cast<std::uint32_t>(std::countr_zero(wrong)));
    return lanes;
}

void Checker::sharedAccess(const ObservedLine& line, GroupState& group, const isa::MemoryAccess& access) {
    const machine::AllocationTable& table = machine_.memory().table();
    if (access.write && !line.launch().readOnly.empty()) constantAccess(line, access);
    if (line.checked.elementBytes > 1) misalignedAccess(line, access);
    // Blocks that begin inside and reach out are the compiler's, which reads more than the source asks for.
    const bool reachesOut = line.checked.access->shape.block && !access.write;
    const machine::Allocation* found = nullptr;
    // What the addresses were made from, if that is known, and not in the driver's own memory.
    const std::uint64_t* const pointer = origins_.of(line, group);
    const machine::Allocation* origin = nullptr;
    std::uint32_t inside = 0;
    const auto look = [&] {
        if (inside == 0 || !findsRaces()) return;
        if (Cells* const cells = cellsOf(line, group, *found))
            races_.global(group,
                          {line.thread, line.number, line.context.index, line.group.dispatch().id(), line.command(),
                           line.context.loaded, access, line.checked.ofExchange, line.isGroupAtomic()},
                          inside, *cells, *found);
        inside = 0;
    };
    std::uint32_t rest = access.lanes;
    if (rest != 0)
        found = allocationAt(line, group, access.address[static_cast<std::uint32_t>(std::countr_zero(rest))]);
    const bool one = found != nullptr && isWithin(*found, access);
    if (pointer != nullptr) origin = one && found->contains(*pointer) ? found : table.find(*pointer);
    if (one && (origin == nullptr || origin == found)) inside = std::exchange(rest, 0);  // nothing is wrong with them
    for (; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        const std::uint64_t address = access.address[lane];
        if (found == nullptr || !found->contains(address)) {
            look();
            found = table.find(address);
        }
        if (found == nullptr) {
            const Kind outside = pointer != nullptr && line.isPrivate(*pointer) ? Kind::privateMemory : Kind::global;
            if (groups_.has(Group::memory)) report(line, address < kFirstPage ? Kind::null : outside, access, lane);
            continue;
        }
        inside |= 1u << lane;
        if (origin != nullptr && found != origin && groups_.has(Group::memory))
            report(line, line.isPrivate(*pointer) ? Kind::privateMemory : Kind::neighbour, access, lane, found);
        const bool ends = access.bytesPerLane <= found->end - address || reachesOut ||
                          table.covers(address, address + access.bytesPerLane, access.write);
        if (!ends && groups_.has(Group::memory)) report(line, Kind::global, access, lane);
    }
    look();
}

void Checker::misalignedAccess(const ObservedLine& line, const isa::MemoryAccess& access) {
    const std::uint64_t low = line.checked.elementBytes - 1;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(access.lanes));
    const std::uint64_t by = access.address[first] & low;
    if (by == 0 || !groups_.has(Group::memory)) return;
    // Members of packed structures that lie behind each other are each misaligned in another way.
    for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1)
        if ((access.address[static_cast<std::uint32_t>(std::countr_zero(rest))] & low) != by) return;
    const bool isLocal = access.space == isa::MemorySpace::local;
    const machine::Allocation* const found = isLocal ? nullptr : machine_.memory().table().find(access.address[first]);
    if (isLocal || found != nullptr) report(line, Kind::misaligned, access, first, found);
}

void Checker::constantAccess(const ObservedLine& line, const isa::MemoryAccess& access) {
    if (!groups_.has(Group::memory)) return;
    for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (!line.isReadOnly(access.address[lane])) continue;
        return report(line, Kind::denied, access, lane, machine_.memory().table().find(access.address[lane]));
    }
}

/// Whether it is clear that all lanes access what the group has, as it is for nearly all messages.
bool Checker::isInside(const ObservedLine& line, const isa::MemoryAccess& access) {
    const machine::Launch& launch = line.launch();
    const std::uint64_t bits = addressBits(access, access.lanes);
    return launch.slmGaps.empty() && bits <= isa::kLocalOffsetMask && bits + access.bytesPerLane <= launch.slmBytes;
}

void Checker::localAccess(const ObservedLine& line, GroupState& group, const isa::MemoryAccess& access) {
    const auto look = [&](const isa::MemoryAccess& which) {
        races_.local(group, {line.thread, line.number, line.context.index, line.group.dispatch().id(), line.command(),
                             line.context.loaded, which, line.checked.ofExchange});
    };
    if (line.checked.elementBytes > 1) misalignedAccess(line, access);
    if (isInside(line, access)) {
        if (findsRaces()) look(access);
        return;
    }
    isa::MemoryAccess within = access;
    for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        within.address[lane] &= isa::kLocalOffsetMask;
        const bool outside = within.address[lane] + access.bytesPerLane > line.launch().slmBytes;
        if (!outside && !line.isInGap(within.address[lane], access.bytesPerLane)) continue;
        within.lanes &= ~(1u << lane);
        if (groups_.has(Group::memory)) report(line, outside ? Kind::local : Kind::neighbour, within, lane);
    }
    if (within.lanes != 0 && findsRaces()) look(within);
}

}  // namespace zetl::emulator::check
