#include "emulator/check/checker.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "emulator/check/observed_line.h"
#include "emulator/isa/flow.h"
#include "emulator/isa/register_use.h"
#include "emulator/machine/execution/device_runtime.h"
#include "emulator/machine/memory/allocation_table.h"

namespace zetl::emulator::check {

using zetl::check::Group;
using zetl::check::Kind;

namespace {

/// What the thread is about to tell the gateway.
isa::BarrierSignal signalOf(const isa::Thread& thread, const isa::Instruction& in) noexcept {
    constexpr std::uint32_t kWord = 8;
    const auto word = thread.at<std::uint32_t>(isa::layout::kGrf + isa::placeOf(in.source[0]) + kWord);
    isa::BarrierSignal signal;
    signal.consumers = static_cast<std::uint8_t>(word >> 24);
    signal.producers = signal.consumers;
    if (zetl::isa::xe::generalBarrierOf(in.message) == zetl::isa::xe::GeneralBarrier::group) return signal;
    signal.producers = static_cast<std::uint8_t>(word >> 16);
    signal.role = static_cast<isa::BarrierSignal::Role>(word >> 14 & 3);
    signal.id = static_cast<std::uint8_t>(word & (isa::kBarriers - 1));
    return signal;
}

/// All lanes may write the same bytes.
bool writesOneElement(const isa::AccessShape& shape, const isa::AccessSpans& spans) noexcept {
    return shape.write && !shape.block && !shape.block2d && spans.count == 1 && spans.spans[0].bytes <= shape.bytes;
}

}  // namespace

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
        lines[line] = program.lines[line].synchronization == zetl::isa::xe::Synchronization::barrier ||
                      program.lines[line].crossesLanes();
    return lines;
}

std::vector<bool> Checker::idleLinesOf(const machine::LoadedProgram& loaded) const {
    return looksAtAccesses() ? programs_.of(loaded).showsArgument : std::vector<bool>();
}

std::vector<bool> Checker::localReadsOf(const machine::LoadedProgram& loaded) const {
    return looksAtAccesses() ? programs_.of(loaded).readsLocal : std::vector<bool>();
}

void Checker::failed(machine::HardwareThread& thread) noexcept try {
    const isa::Line number = thread.state.program->lineAt(thread.state.ip());
    if (thread.loaded == nullptr || thread.loaded->program.get() != thread.state.program || number == isa::kNoLine)
        return;
    const machine::WorkGroup& group = machine::WorkGroup::of(thread);
    const ObservedLine line{thread.state, thread,       group,     programs_.of(*thread.loaded).lines[number],
                            number,       thread.index, group.id()};
    GroupState& state = stateOf(group);
    enter(line, state);
    look(line, state);
} catch (const std::bad_alloc&) {  // the fault itself is reported
}

void Checker::beforeLine(isa::Thread& thread, isa::Line number) noexcept try {
    const machine::HardwareThread& context = machine::HardwareThread::of(thread);
    if (context.loaded == nullptr || context.loaded->program.get() != thread.program) return;
    // Of this worker. Programs stay known, so what was looked up last is right as long as it is for this program.
    thread_local struct {
        std::uint64_t version = 0;
        const machine::LoadedProgram* loaded = nullptr;
        const CheckedProgram* program = nullptr;
        const machine::WorkGroup* group = nullptr;
        GroupState* state = nullptr;
        std::uint64_t launch = 0;
        machine::Extent id{};  ///< of the group that was there
    } last;
    if (last.version != version_ || last.loaded != context.loaded) {
        last.program = &programs_.of(*context.loaded);
        last.loaded = context.loaded;
        if (last.version != version_) last.group = nullptr;
        last.version = version_;
    }
    const machine::WorkGroup& group = machine::WorkGroup::of(context);
    const ObservedLine line{thread, context, group, last.program->lines[number], number, context.index, group.id()};
    if (last.group != &group || last.launch != group.dispatch().id() || last.id != group.id()) {
        last.state = &stateOf(group);
        last.group = nullptr;
        enter(line, *last.state);
        last.group = &group;
        last.launch = group.dispatch().id();
        last.id = group.id();
    }
    look(line, *last.state);
} catch (const std::bad_alloc&) {  // this message is not checked
}

GroupState& Checker::stateOf(const machine::WorkGroup& group) {
    const Lock guard(mutex_);
    std::unique_ptr<GroupState>& known = states_[&group];
    if (!known) known = std::make_unique<GroupState>();
    return *known;
}

/// Of the first of a group's threads that is seen in its place.
void Checker::enter(const ObservedLine& line, GroupState& group) {
    const machine::Launch& launch = line.launch();
    const std::uint64_t number = line.command();
    if (group.enter(number, line.groupNumber(), line.group.dispatch().need().threads, launch.slmBytes,
                    launch.barrierCount)) {
        group.setLocalGaps(launch.slmGaps);
        const auto record = launch.command != 0 ? records_.find(number) : nullptr;
        if (record) {
            record->program.store(line.context.loaded, std::memory_order_relaxed);
            group.setCommand(record);
        }
    }
    forgetOlder(number);
}

/// Inlined where most lines come from, as access() is.
[[gnu::always_inline]] inline void Checker::look(const ObservedLine& line, GroupState& group) {
    if (line.checked.crossesLanes()) crossing(line);
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

[[gnu::always_inline]] inline void Checker::access(const ObservedLine& line, GroupState& group) {
    if (!line.checked.access) return origins_.note(line, group);
    const isa::AccessPlan& plan = *line.checked.access;
    spinning(line, group);
    const isa::AccessSpans spans = plan.spans(line.thread);
    if (spans.count != 0 && !writesOneElement(plan.shape, spans) && arePlain(line, group, spans)) return;
    if (plan.shape.space == isa::MemorySpace::local && arePlainWords(line, group)) return;
    const isa::MemoryAccess access = plan.access(line.thread);
    if (access.lanes == 0) return;
    if (access.space == isa::MemorySpace::global) globalAccess(line, group, access);
    if (access.space == isa::MemorySpace::local) localAccess(line, group, access);
}

[[gnu::always_inline]] inline bool Checker::arePlain(const ObservedLine& line, GroupState& group,
                                                     const isa::AccessSpans& spans) {
    if (line.checked.access->shape.space == isa::MemorySpace::local) return areLocalPlain(line, group, spans);
    return std::ranges::all_of(spans, [&](const isa::AccessSpan& span) { return isPlain(line, group, span); });
}

[[gnu::always_inline]] inline bool Checker::areLocalPlain(const ObservedLine& line, GroupState& group,
                                                          const isa::AccessSpans& spans) {
    const machine::Launch& launch = line.launch();
    const std::uint64_t low = std::max<std::uint64_t>(line.checked.elementBytes, 1) - 1;
    for (const isa::AccessSpan& span : spans) {
        const std::uint64_t offset = span.address & isa::kLocalOffsetMask;
        const bool isPlain = offset + span.bytes <= launch.slmBytes && (offset & low) == 0;
        if (!isPlain || line.isInGap(offset, span.bytes)) return false;
    }
    if (!findsRaces()) return true;
    const bool write = line.checked.access->shape.write;
    if (!races_.localSpans(group, {line.number, line.index, spans, write, line.checked.ofExchange})) return false;
    if (!write) showReads(line, group);
    return true;
}

void Checker::showReads(const ObservedLine& line, GroupState& group) {
    line.thread.localReader.of = &group.localReads();
    line.thread.localReader.bits = LocalMarks::bitsOf(line.index);
}

bool Checker::findsRaces() const { return groups_.has(Group::race); }

const machine::Allocation* Checker::allocationAt(const ObservedLine& line, GroupState& group,
                                                 std::uint64_t address) const noexcept {
    const machine::AllocationTable& table = machine_.memory().table();
    GroupState::Accessed& last = group.accessedBy(line.checked.message);
    const std::uint64_t version = table.version();
    if (last.tableVersion == version && last.allocation->contains(address)) return last.allocation;
    const machine::Allocation* const found = table.find(address);
    if (found != nullptr) last = {version, 0, found, nullptr, 0, isa::kNoLine};
    return found;
}

Cells* Checker::cellsOf(const ObservedLine& line, GroupState& group, const machine::Allocation& allocation) noexcept {
    GroupState::Accessed& last = group.accessedBy(line.checked.message);
    const bool isLast = last.allocation == &allocation && last.tableVersion == machine_.memory().table().version();
    if (isLast && last.shadowVersion == shadow_.version()) return last.cells;
    const bool shared =
        allocation.kind != machine::MemoryKind::internal && allocation.kind != machine::MemoryKind::code;
    const std::uint64_t version = shadow_.version();
    Cells* const cells = shared ? shadow_.of(allocation) : nullptr;
    if (isLast) {
        last.shadowVersion = version;
        last.cells = cells;
    }
    return cells;
}

/// Whether the line's addresses, which are in the allocation, were made from a pointer to it, as far as is known.
bool Checker::isFromWithin(const ObservedLine& line, GroupState& group, const machine::Allocation& found) {
    if (line.checked.pointer == kUnknownPointer) return true;
    GroupState::Accessed& last = group.accessedBy(line.checked.message);
    const std::uint64_t launch = line.group.dispatch().id();
    const bool isLast = last.allocation == &found && line.checked.ofArguments;
    if (isLast && last.fromWithin == launch && last.line == line.number) return true;
    const std::uint64_t* const origin = origins_.of(line, group);
    if (origin != nullptr && !found.contains(*origin)) return false;
    if (isLast && origin != nullptr) {
        last.fromWithin = launch;
        last.line = line.number;
    }
    return true;
}

bool Checker::isPlain(const ObservedLine& line, GroupState& group, const isa::AccessSpan& span) {
    const isa::AccessShape& shape = line.checked.access->shape;
    if (shape.space != isa::MemorySpace::global || span.address < kFirstPage || line.isPrivate(span.address))
        return false;
    const machine::Allocation* const found = allocationAt(line, group, span.address);
    if (found == nullptr || span.bytes > found->end - span.address) return false;
    if (shape.write && line.isReadOnly(span.address)) return false;
    if (line.checked.elementBytes > 1 && span.address % line.checked.elementBytes != 0) return false;
    if (!isFromWithin(line, group, *found)) return false;
    if (!findsRaces()) return true;
    Cells* const cells = cellsOf(line, group, *found);
    return cells == nullptr || races_.globalRun(group,
                                                {line.number, line.index, line.command(), span.address, span.bytes,
                                                 shape.write, line.checked.ofExchange},
                                                *cells, *found);
}

bool Checker::arePlain(const ObservedLine& line, GroupState& group, const PlannedLanes& lanes) {
    const isa::AccessShape& shape = line.checked.access->shape;
    const bool maySome = shape.write && !line.launch().readOnly.empty();
    if (shape.space != isa::MemorySpace::global || maySome || line.launch().privateBytes != 0) return false;
    const machine::Allocation* const found = allocationAt(line, group, lanes.address.front());
    if (found == nullptr || !lanes.areWithin(*found)) return false;
    if (line.checked.elementBytes > 1 && !lanes.areMultiplesOf(line.checked.elementBytes)) return false;
    if (!isFromWithin(line, group, *found)) return false;
    Cells* const cells = cellsOf(line, group, *found);
    return cells == nullptr ||
           races_.globalLanes(group,
                              {line.number, line.index, line.command(), lanes, shape.write, line.checked.ofExchange},
                              *cells, *found);
}

bool Checker::arePlainWords(const ObservedLine& line, GroupState& group) {
    const isa::AccessPlan& plan = *line.checked.access;
    const machine::Launch& launch = line.launch();
    if (!findsRaces()) return false;
    const auto words = LaneWords::of(line.thread, plan, launch.slmBytes);
    if (!words || words->meet(launch.slmGaps) || (plan.shape.write && !words->areApart())) return false;
    if (line.checked.elementBytes > kGranule && !words->areMultiplesOf(line.checked.elementBytes)) return false;
    const bool write = plan.shape.write;
    if (!races_.localWords(group, {line.number, line.index, *words, write, line.checked.ofExchange})) return false;
    if (!write) showReads(line, group);
    return true;
}

void Checker::crossing(const ObservedLine& line) {
    const std::uint32_t absent = line.thread.dispatched & ~line.thread.active;
    if (absent == 0 || !groups_.has(Group::barrier)) return;
    std::uint32_t read = line.checked.lanesCrossed;
    if (line.checked.shuffle)
        read |= lanesShuffled(line.thread, line.thread.program->instruction(line.number), *line.checked.shuffle,
                              isa::lanesOf(line.thread, line.number));
    if ((read & absent) == 0) return;
    Observation observation;
    observation.kind = Kind::subGroup;
    observation.launch = line.group.dispatch().id();
    observation.program = line.context.loaded;
    observation.now = line.toucher({}, -1);
    observation.now.access = Access::none;
    observations_.add(observation);
}

inline void Checker::spinning(const ObservedLine& line, GroupState& group) {
    const isa::AccessShape& shape = line.checked.access->shape;
    GroupState::Thread& thread = group.thread(line.context.index);
    // A loop that tries an atomic again and again changes nothing until it succeeds, and then it goes on.
    const bool again = shape.atomic && std::exchange(thread.atomicAt, line.number) == line.number;
    if (shape.write && !again) return group.progresses();
    if (thread.spin.isDue(1 + line.thread.localReader.takeSettled()) && groups_.has(Group::barrier))
        waiting(line, thread);
}

void Checker::waiting(const ObservedLine& line, GroupState::Thread& thread) {
    std::uint64_t progress = 0;
    {
        const Lock guard(mutex_);
        for (const auto& [place, state] : states_) progress += state->progress();
    }
    if (!thread.spin.sees(line.thread, line.number, progress, SpinWatch::Clock::now())) return;
    const isa::MemoryAccess access = line.checked.access->access(line.thread);
    if (access.lanes == 0) return;
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(access.lanes));
    const bool isGlobal = access.space == isa::MemorySpace::global;
    const machine::Allocation* const found = isGlobal ? machine_.memory().table().find(access.address[lane]) : nullptr;
    // The host, and commands beside this one, may write at any time.
    const bool isShared =
        found != nullptr && (found->kind == machine::MemoryKind::host || found->kind == machine::MemoryKind::shared);
    const std::uint64_t own = line.launch().command != 0 ? 1 : 0;
    if ((isGlobal && (found == nullptr || isShared)) || running_.load(std::memory_order_relaxed) > own) return;
    report(line, Kind::spin, access, lane, found);
    line.group.dispatch().cancel();
}

void Checker::barrier(const ObservedLine& line, GroupState& group) {
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
    if (line.launch().barrierCount > 1)
        group.arrive(line.context.index, signalOf(line.thread, line.thread.program->instruction(line.number)));
    else
        group.arrive(line.context.index);
}

void Checker::report(const ObservedLine& line, Kind kind, const isa::MemoryAccess& access, std::uint32_t lane,
                     const machine::Allocation* found) {
    Observation observation;
    observation.kind = kind;
    observation.launch = line.group.dispatch().id();
    observation.program = line.context.loaded;
    observation.now = line.toucher(access, static_cast<std::int8_t>(lane));
    observation.address = access.address[lane];
    observation.bytes = access.bytesPerLane;
    if (found != nullptr) observation.allocation = *found;
    observations_.add(observation);
}

void Checker::begin(std::shared_ptr<CommandRecord> command) {
    records_.add(std::move(command));
    running_.fetch_add(1, std::memory_order_relaxed);
}

void Checker::end() noexcept { running_.fetch_sub(1, std::memory_order_relaxed); }

void Checker::transfer(const CommandRecord& command, std::uint64_t address, std::uint64_t bytes, bool write) noexcept {
    if (!groups_.has(Group::race)) return;
    forgetOlder(command.number);
    const machine::AllocationTable& table = machine_.memory().table();
    for (std::uint64_t done = 0; done < bytes;) {
        const machine::Allocation* const found = table.find(address + done);
        if (found == nullptr) return;
        const std::uint64_t here = std::min(bytes - done, found->end - (address + done));
        if (Cells* const cells = shadow_.of(*found))
            races_.transfer(command, address + done, here, write, *cells, *found);
        done += here;
    }
}

std::vector<zetl::check::Finding> Checker::takeCommand(const CommandRecord& command) {
    std::vector<zetl::check::Finding> findings;
    for (const Observations::Seen& seen : observations_.take(RaceCheck::launchOf(command.number)))
        findings.push_back(findingOf(seen, command, records_.find(seen.first.beforeCommand)));
    return findings;
}

void Checker::forgetOlder(std::uint64_t command) noexcept {
    std::uint64_t before = generation_.load(std::memory_order_relaxed);
    const std::uint64_t now = generationOf(command);
    if (before < now && generation_.compare_exchange_strong(before, now)) shadow_.clear();
}

std::vector<zetl::check::Finding> Checker::take(const machine::Dispatch& dispatch, const SourceOf& source) {
    std::vector<zetl::check::Finding> findings;
    for (const Observations::Seen& seen : observations_.take(dispatch.id()))
        findings.push_back(
            findingOf(seen, dispatch.launch(), machine_.memory(), source,
                      seen.first.beforeCommand != 0 ? records_.find(seen.first.beforeCommand) : nullptr));
    const machine::Fault& fault = dispatch.fault();
    if (fault && fault.kind != machine::FaultKind::cancelled) {
        const zetl::check::Finding end = findingOf(fault, machine_.memory(), source);
        // What was seen before the message is the same mistake.
        const bool told = std::ranges::any_of(findings, [&](const zetl::check::Finding& one) {
            return one.kind == end.kind && one.sides.front().ip == end.sides.front().ip;
        });
        if (!told) findings.push_back(end);
    }
    origins_.forget(dispatch.id());
    // Its own launch counts, if it is of a command.
    if (running_.load(std::memory_order_relaxed) <= (dispatch.launch().command != 0 ? 1u : 0u)) {
        clock_.clear();
        shadow_.keepOnly(machine_.memory());
    }
    return findings;
}

}  // namespace zetl::emulator::check
