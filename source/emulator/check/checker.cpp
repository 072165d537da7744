#include "emulator/check/checker.h"

#include <bit>
#include <new>

#include "emulator/isa/thread.h"
#include "emulator/machine/execution/device_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/memory/allocation_table.h"
#include "emulator/machine/tools/hardware_thread.h"

namespace zetl::emulator::check {

using zetl::check::Group;
using zetl::check::Kind;

struct Checker::Line {
    isa::Thread& thread;
    const machine::HardwareThread& context;
    const machine::WorkGroup& group;
    const CheckedLine& checked;
    isa::Line number;

    const machine::Launch& launch() const noexcept { return group.dispatch().launch(); }
    std::uint64_t groupNumber() const noexcept {
        const machine::Launch& of = launch();
        return numberOf(group.id(), {of.firstGroup[0] + of.groupCount[0], of.firstGroup[1] + of.groupCount[1],
                                     of.firstGroup[2] + of.groupCount[2]});
    }
    Toucher toucher(const isa::MemoryAccess& access, std::int8_t lane) const noexcept {
        const Access kind = access.atomic ? Access::atomic : access.write ? Access::write : Access::read;
        return {kind, number, context.index, groupNumber(), lane};
    }
};

Checker::Checker(machine::Machine& machine, zetl::check::Groups groups) : machine_(machine), groups_(groups) {
    for (std::uint32_t index = 0; index < machine.devices(); ++index) {
        auto& device = static_cast<machine::DeviceRuntime&>(machine.device(index));
        holds_.push_back(device.observers().hold(*this));
        if (!looksAtAccesses()) device.overruns().observe(this);
    }
}

Checker::~Checker() {
    for (std::uint32_t index = 0; index < machine_.devices(); ++index)
        static_cast<machine::DeviceRuntime&>(machine_.device(index)).overruns().observe(nullptr);
}

/// Host code checks bounds anyway: without races to look for, failed() reports what it finds.
bool Checker::looksAtAccesses() const noexcept { return groups_.has(Group::race); }

std::vector<bool> Checker::linesOf(const machine::LoadedProgram& loaded) const {
    const CheckedProgram& program = programs_.of(loaded);
    if (looksAtAccesses()) return program.watched;
    std::vector<bool> lines(program.lines.size());
    for (std::size_t line = 0; line < lines.size() && groups_.has(Group::barrier); ++line)
        lines[line] = program.lines[line].synchronization == zetl::isa::xe::Synchronization::barrier;
    return lines;
}

void Checker::failed(machine::HardwareThread& thread) noexcept try {
    const isa::Line number = thread.state.program->lineAt(thread.state.ip());
    if (thread.loaded == nullptr || thread.loaded->program.get() != thread.state.program || number == isa::kNoLine)
        return;
    look({thread.state, thread, machine::WorkGroup::of(thread), programs_.of(*thread.loaded).lines[number], number});
} catch (const std::bad_alloc&) {  // the fault itself is reported
}

void Checker::beforeLine(isa::Thread& thread, isa::Line number) noexcept try {
    const machine::HardwareThread& context = machine::HardwareThread::of(thread);
    if (context.loaded == nullptr || context.loaded->program.get() != thread.program) return;
    // Programs stay known, so what was looked up last is right as long as it is for this program.
    thread_local const Checker* owner = nullptr;
    thread_local const machine::LoadedProgram* last = nullptr;
    thread_local const CheckedProgram* program = nullptr;
    if (owner != this || last != context.loaded) {
        program = &programs_.of(*context.loaded);
        last = context.loaded;
        owner = this;
    }
    look({thread, context, machine::WorkGroup::of(context), program->lines[number], number});
} catch (const std::bad_alloc&) {  // this message is not checked
}

GroupState& Checker::stateOf(const machine::WorkGroup& group) {
    thread_local const Checker* owner = nullptr;
    thread_local const machine::WorkGroup* last = nullptr;
    thread_local GroupState* state = nullptr;
    if (owner != this || last != &group) {
        const Lock guard(mutex_);
        std::unique_ptr<GroupState>& known = states_[&group];
        if (!known) known = std::make_unique<GroupState>();
        state = known.get();
        last = &group;
        owner = this;
    }
    return *state;
}

void Checker::look(const Line& line) {
    GroupState& group = stateOf(line.group);
    const machine::Launch& launch = line.launch();
    const std::uint64_t number = line.group.dispatch().id();
    group.enter(number, line.groupNumber(), line.group.dispatch().need().threads, launch.slmBytes);
    std::uint64_t before = generation_.load(std::memory_order_relaxed);
    const std::uint64_t now = generationOf(number);
    if (before < now && generation_.compare_exchange_strong(before, now)) shadow_.clear();
    switch (line.checked.synchronization) {
        case zetl::isa::xe::Synchronization::fence:
            return group.fence(line.context.index, line.checked.fencesLocal ? Memory::local : Memory::global,
                               line.checked.withinGroup);
        case zetl::isa::xe::Synchronization::barrier:
            return barrier(line, group);
        case zetl::isa::xe::Synchronization::none:
            return access(line, group);
    }
}

void Checker::access(const Line& line, GroupState& group) {
    if (!line.checked.access) return;
    const isa::MemoryAccess access = line.checked.access->access(line.thread);
    if (access.lanes == 0) return;
    if (access.space == isa::MemorySpace::global) globalAccess(line, group, access);
    if (access.space == isa::MemorySpace::local) localAccess(line, group, access);
}

bool Checker::findsRaces(const Line& line) const { return groups_.has(Group::race) && line.launch().barrierCount <= 1; }

void Checker::globalAccess(const Line& line, GroupState& group, const isa::MemoryAccess& access) {
    constexpr std::uint64_t kFirstPage = 0x1'0000;
    const machine::AllocationTable& table = machine_.memory().table();
    // Blocks that begin inside and reach out are the compiler's, which reads more than the source asks for.
    const bool reachesOut = line.checked.access->shape.block && !access.write;
    const machine::Allocation* found = nullptr;
    std::uint32_t inside = 0;
    const auto look = [&] {
        if (inside == 0 || !findsRaces(line)) return;
        const bool shared = found->kind != machine::MemoryKind::internal && found->kind != machine::MemoryKind::code;
        Cells* const cells = shared ? shadow_.of(*found) : nullptr;
        if (cells != nullptr)
            races_.global(
                group,
                {line.thread, line.number, line.context.index, line.group.dispatch().id(), line.context.loaded, access},
                inside, *cells, *found);
        inside = 0;
    };
    for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        const std::uint64_t address = access.address[lane];
        if (found == nullptr || !found->contains(address)) {
            look();
            found = table.find(address);
        }
        if (found == nullptr) {
            if (groups_.has(Group::memory))
                report(line, address < kFirstPage ? Kind::null : Kind::global, access, lane);
            continue;
        }
        inside |= 1u << lane;
        const bool ends = access.bytesPerLane <= found->end - address || reachesOut ||
                          table.covers(address, address + access.bytesPerLane, access.write);
        if (!ends && groups_.has(Group::memory)) report(line, Kind::global, access, lane);
    }
    look();
}

void Checker::localAccess(const Line& line, GroupState& group, const isa::MemoryAccess& access) {
    isa::MemoryAccess within = access;
    for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        within.address[lane] &= isa::kLocalOffsetMask;
        if (within.address[lane] + access.bytesPerLane <= line.launch().slmBytes) continue;
        within.lanes &= ~(1u << lane);
        if (groups_.has(Group::memory)) report(line, Kind::local, within, lane);
    }
    if (within.lanes != 0 && findsRaces(line))
        races_.local(group, {line.thread, line.number, line.context.index, line.group.dispatch().id(),
                             line.context.loaded, within});
}

void Checker::barrier(const Line& line, GroupState& group) {
    using Problem = BarrierPhase::Problem;
    BarrierPhase& phase = group.phase();
    const std::uint32_t lanes = line.thread.active & line.thread.dispatched;
    const Problem problem = line.launch().barrierCount <= 1
                                ? phase.arrive(line.context.index, line.number, lanes, line.thread.dispatched)
                                : Problem::none;
    if (problem != Problem::none && groups_.has(Group::barrier)) {
        Observation observation;
        observation.kind = problem == Problem::divergent ? Kind::divergent : Kind::different;
        observation.launch = line.group.dispatch().id();
        observation.program = line.context.loaded;
        observation.now = line.toucher({}, -1);
        observation.now.access = Access::none;
        if (problem == Problem::different) {
            observation.before = observation.now;
            observation.before->line = phase.other();
        }
        observations_.add(observation);
    }
    group.arrive(line.context.index);
}

void Checker::report(const Line& line, Kind kind, const isa::MemoryAccess& access, std::uint32_t lane) {
    Observation observation;
    observation.kind = kind;
    observation.launch = line.group.dispatch().id();
    observation.program = line.context.loaded;
    observation.now = line.toucher(access, static_cast<std::int8_t>(lane));
    observation.address = access.address[lane];
    observation.bytes = access.bytesPerLane;
    observations_.add(observation);
}

std::vector<zetl::check::Finding> Checker::take(const machine::Dispatch& dispatch, const SourceOf& source) {
    std::vector<zetl::check::Finding> findings;
    for (const Observations::Seen& seen : observations_.take(dispatch.id()))
        findings.push_back(findingOf(seen, dispatch.launch(), machine_.memory(), source));
    const machine::Fault& fault = dispatch.fault();
    if (fault && fault.kind != machine::FaultKind::cancelled) {
        const zetl::check::Finding end = findingOf(fault, machine_.memory(), source);
        // What was seen before the message is the same mistake.
        const bool told = std::ranges::any_of(findings, [&](const zetl::check::Finding& one) {
            return one.kind == end.kind && one.sides.front().ip == end.sides.front().ip;
        });
        if (!told) findings.push_back(end);
    }
    clock_.clear();
    shadow_.keepOnly(machine_.memory());
    return findings;
}

}  // namespace zetl::emulator::check
