#include "emulator/check/checker.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "emulator/check/access_runs.h"
#include "emulator/isa/flow.h"
#include "emulator/isa/register_use.h"
#include "emulator/isa/thread.h"
#include "emulator/machine/execution/device_runtime.h"
#include "emulator/machine/execution/tile_runtime.h"
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
    std::uint32_t index;  ///< of the thread in its group
    machine::Extent id;   ///< of the group

    const machine::Launch& launch() const noexcept { return group.dispatch().launch(); }
    std::uint64_t groupNumber() const noexcept { return numberOf(id, gridOf(launch())); }
    /// The command's, or the launch's own if it is of none: what marks hold.
    std::uint64_t command() const noexcept {
        const std::uint64_t of = launch().command;
        return of != 0 ? of : group.dispatch().id();
    }
    /// Whether bytes of local memory belong to no argument.
    bool isInGap(std::uint64_t offset, std::uint32_t bytes) const noexcept {
        return std::ranges::any_of(launch().slmGaps,
                                   [&](const auto& gap) { return offset < gap[1] && offset + bytes > gap[0]; });
    }
    /// A launch, for pointers of this thread alone.
    std::uint64_t launchOfThread() const noexcept {
        constexpr unsigned kThreadAt = 48;
        return group.dispatch().id() ^ (std::uint64_t{index} + 1) << kThreadAt;
    }
    bool isGroupAtomic() const noexcept { return launch().groupAtomics && (*launch().groupAtomics)[number]; }
    bool isReadOnly(std::uint64_t address) const noexcept {
        return std::ranges::any_of(launch().readOnly,
                                   [&](const auto& range) { return address >= range[0] && address < range[1]; });
    }
    /// Memory of all threads that belongs to one thread each, and the part of this one.
    std::uint64_t allPrivateBytes() const noexcept {
        return launch().privateBytes * group.tile().device().profile().threads();
    }
    bool isPrivate(std::uint64_t address) const noexcept {
        return launch().privateBytes != 0 && address - launch().privateBase < allPrivateBytes();
    }
    Toucher toucher(const isa::MemoryAccess& access, std::int8_t lane) const noexcept {
        const Access kind = access.atomic ? Access::atomic : access.write ? Access::write : Access::read;
        return {kind, number, index, groupNumber(), lane};
    }
};

namespace {

constexpr std::uint64_t kFirstPage = 0x1'0000;

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

void Checker::failed(machine::HardwareThread& thread) noexcept try {
    const isa::Line number = thread.state.program->lineAt(thread.state.ip());
    if (thread.loaded == nullptr || thread.loaded->program.get() != thread.state.program || number == isa::kNoLine)
        return;
    const machine::WorkGroup& group = machine::WorkGroup::of(thread);
    const Line line{thread.state, thread,       group,     programs_.of(*thread.loaded).lines[number],
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
    const Line line{thread, context, group, last.program->lines[number], number, context.index, group.id()};
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

/// What is known of the allocation that threads access by a line, from one thread to the next.
class Checker::Foreseen {
  public:
    Foreseen(Checker& checker, const Line& line, const isa::PlannedAccess& access)
        : checker_(checker), line_(line), bytes_(access.bytes), addresses_(access.addresses) {}

    /// From where on the thread's addresses are. Goes on to those behind them.
    bool isPlain(GroupState& group, std::uint32_t index, const machine::Extent& id, const std::uint64_t*& addresses) {
        line_.index = index;
        line_.id = id;
        const PlannedLanes lanes{std::span(addresses, addresses_), bytes_ / addresses_};
        addresses += addresses_;
        return lanes.runOn() ? isRunPlain(group, lanes.address.front()) : checker_.arePlain(line_, group, lanes);
    }

  private:
    bool isRunPlain(GroupState& group, std::uint64_t address) {
        if (allocation_ == nullptr || version_ != checker_.machine_.memory().table().version() || !fits(address)) {
            if (!line_.checked.access || !checker_.isPlain(line_, group, {address, bytes_})) return false;
            learn(group, address);
            return true;
        }
        if (cells_ == nullptr) return true;
        cells_->prefetchBehind((address - allocation_->begin) / kGranule);
        const AccessingRun run{line_.number,
                               line_.index,
                               command_,
                               address,
                               bytes_,
                               line_.checked.access->shape.write,
                               line_.checked.ofExchange};
        return checker_.races_.globalRun(group, run, *cells_, *allocation_);
    }
    bool fits(std::uint64_t address) const noexcept {
        const std::uint64_t within = address - allocation_->begin;
        const std::uint64_t bytes = allocation_->end - allocation_->begin;
        return within < bytes && bytes_ <= bytes - within &&
               (line_.checked.elementBytes <= 1 || address % line_.checked.elementBytes == 0);
    }
    /// If all of the allocation may be accessed like this.
    void learn(GroupState& group, std::uint64_t address) {
        allocation_ = nullptr;
        const bool maySome = line_.checked.access->shape.write && !line_.launch().readOnly.empty();
        const bool mayDiffer = line_.checked.pointer != kUnknownPointer && !line_.checked.ofArguments;
        if (maySome || mayDiffer || line_.checked.access->shape.space != isa::MemorySpace::global) return;
        version_ = checker_.machine_.memory().table().version();
        allocation_ = checker_.allocationAt(line_, group, address);
        cells_ =
            allocation_ != nullptr && checker_.findsRaces() ? checker_.cellsOf(line_, group, *allocation_) : nullptr;
        command_ = line_.command();
    }

    Checker& checker_;
    Line line_;
    const std::uint32_t bytes_;
    const std::uint32_t addresses_;
    std::uint64_t version_ = 0;
    std::uint64_t command_ = 0;
    const machine::Allocation* allocation_ = nullptr;  // null: it is not known
    Cells* cells_ = nullptr;
};

std::uint32_t Checker::passes(const isa::GroupAccesses& accesses) noexcept try {
    const machine::HardwareThread& context = machine::HardwareThread::of(accesses.thread);
    if (!looksAtAccesses() || context.loaded == nullptr || context.loaded->program.get() != accesses.thread.program)
        return 0;
    const machine::WorkGroup& group = machine::WorkGroup::of(context);
    const CheckedProgram& program = programs_.of(*context.loaded);
    const bool showsMore = std::ranges::find(program.showsArgument, true) != program.showsArgument.end();
    const bool isIdle = (group.dispatch().idle.load(std::memory_order_relaxed) & kIdle) != 0;
    if ((showsMore && !isIdle) || group.dispatch().launch().privateBytes != 0) return 0;
    GroupState& state = stateOf(group);
    Line line{accesses.thread, context, group, program.lines[0], 0, accesses.first, group.id()};
    std::vector<Foreseen> each;
    for (const isa::PlannedAccess& access : accesses.each)
        each.emplace_back(
            *this, Line{line.thread, context, group, program.lines[access.line], access.line, line.index, line.id},
            access);
    enter(line, state);
    std::uint32_t passed = 0;
    for (const std::uint64_t* next = accesses.begins.data(); passed < accesses.count; ++passed) {
        const bool plain =
            std::ranges::all_of(each, [&](Foreseen& one) { return one.isPlain(state, line.index, line.id, next); });
        if (!plain) break;
        if (++line.index != accesses.perGroup) continue;
        line.index = 0;
        ++line.id[0];
        state.pass(line.groupNumber());
    }
    line.id = group.id();
    state.leave();
    enter(line, state);
    return passed;
} catch (const std::bad_alloc&) {  // each line is looked at
    return 0;
}

GroupState& Checker::stateOf(const machine::WorkGroup& group) {
    const Lock guard(mutex_);
    std::unique_ptr<GroupState>& known = states_[&group];
    if (!known) known = std::make_unique<GroupState>();
    return *known;
}

/// Of the first of a group's threads that is seen in its place.
void Checker::enter(const Line& line, GroupState& group) {
    const machine::Launch& launch = line.launch();
    const std::uint64_t number = line.command();
    if (group.enter(number, line.groupNumber(), line.group.dispatch().need().threads, launch.slmBytes,
                    launch.barrierCount) &&
        launch.command != 0) {
        if (const auto record = records_.find(number)) {
            record->program.store(line.context.loaded, std::memory_order_relaxed);
            group.setCommand(record);
        }
    }
    forgetOlder(number);
}

/// Inlined where most lines come from, as access() is.
[[gnu::always_inline]] inline void Checker::look(const Line& line, GroupState& group) {
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

[[gnu::always_inline]] inline void Checker::access(const Line& line, GroupState& group) {
    if (!line.checked.access) return note(line, group);
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

[[gnu::always_inline]] inline bool Checker::arePlain(const Line& line, GroupState& group,
                                                     const isa::AccessSpans& spans) {
    if (line.checked.access->shape.space == isa::MemorySpace::local) return areLocalPlain(line, group, spans);
    return std::ranges::all_of(spans, [&](const isa::AccessSpan& span) { return isPlain(line, group, span); });
}

[[gnu::always_inline]] inline bool Checker::areLocalPlain(const Line& line, GroupState& group,
                                                          const isa::AccessSpans& spans) {
    const machine::Launch& launch = line.launch();
    if (!launch.slmGaps.empty()) return false;
    for (const isa::AccessSpan& span : spans)
        if ((span.address & isa::kLocalOffsetMask) + span.bytes > launch.slmBytes) return false;
    return !findsRaces() || races_.localSpans(group, {line.number, line.index, spans, line.checked.access->shape.write,
                                                      line.checked.ofExchange});
}

bool Checker::findsRaces() const { return groups_.has(Group::race); }

const machine::Allocation* Checker::allocationAt(const Line& line, GroupState& group,
                                                 std::uint64_t address) const noexcept {
    const machine::AllocationTable& table = machine_.memory().table();
    GroupState::Accessed& last = group.accessedBy(line.checked.message);
    const std::uint64_t version = table.version();
    if (last.tableVersion == version && last.allocation->contains(address)) return last.allocation;
    const machine::Allocation* const found = table.find(address);
    if (found != nullptr) last = {version, 0, found, nullptr, 0, isa::kNoLine};
    return found;
}

Cells* Checker::cellsOf(const Line& line, GroupState& group, const machine::Allocation& allocation) noexcept {
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
bool Checker::isFromWithin(const Line& line, GroupState& group, const machine::Allocation& found) {
    if (line.checked.pointer == kUnknownPointer) return true;
    GroupState::Accessed& last = group.accessedBy(line.checked.message);
    const std::uint64_t launch = line.group.dispatch().id();
    const bool isLast = last.allocation == &found && line.checked.ofArguments;
    if (isLast && last.fromWithin == launch && last.line == line.number) return true;
    const std::uint64_t* const origin = originOf(line, group);
    if (origin != nullptr && !found.contains(*origin)) return false;
    if (isLast && origin != nullptr) {
        last.fromWithin = launch;
        last.line = line.number;
    }
    return true;
}

bool Checker::isPlain(const Line& line, GroupState& group, const isa::AccessSpan& span) {
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

bool Checker::arePlain(const Line& line, GroupState& group, const PlannedLanes& lanes) {
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

bool Checker::arePlainWords(const Line& line, GroupState& group) {
    const isa::AccessPlan& plan = *line.checked.access;
    const machine::Launch& launch = line.launch();
    if (!launch.slmGaps.empty() || !findsRaces()) return false;
    const auto words = LaneWords::of(line.thread, plan, launch.slmBytes);
    if (!words || (plan.shape.write && !words->areApart())) return false;
    return races_.localWords(group, {line.number, line.index, *words, plan.shape.write, line.checked.ofExchange});
}

void Checker::globalAccess(const Line& line, GroupState& group, const isa::MemoryAccess& access) {
    const std::uint32_t own = line.launch().privateBytes != 0 ? privateAccess(line, group, access) : 0;
    if (own == 0) return sharedAccess(line, group, access);
    if (own == access.lanes) return;
    isa::MemoryAccess others = access;
    others.lanes &= ~own;
    sharedAccess(line, group, others);
}

std::uint32_t Checker::privateAccess(const Line& line, GroupState& group, const isa::MemoryAccess& access) {
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

void Checker::crossing(const Line& line) {
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

inline void Checker::spinning(const Line& line, GroupState& group) {
    const isa::AccessShape& shape = line.checked.access->shape;
    GroupState::Thread& thread = group.thread(line.context.index);
    // A loop that tries an atomic again and again changes nothing until it succeeds, and then it goes on.
    const bool again = shape.atomic && std::exchange(thread.atomicAt, line.number) == line.number;
    if (shape.write && !again) return group.progresses();
    if (thread.spin.isDue() && groups_.has(Group::barrier)) waiting(line, thread);
}

void Checker::waiting(const Line& line, GroupState::Thread& thread) {
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

void Checker::sharedAccess(const Line& line, GroupState& group, const isa::MemoryAccess& access) {
    const machine::AllocationTable& table = machine_.memory().table();
    if (access.write && !line.launch().readOnly.empty()) constantAccess(line, access);
    if (line.checked.elementBytes > 1) misalignedAccess(line, access);
    // Blocks that begin inside and reach out are the compiler's, which reads more than the source asks for.
    const bool reachesOut = line.checked.access->shape.block && !access.write;
    const machine::Allocation* found = nullptr;
    // What the addresses were made from, if that is known, and not in the driver's own memory.
    const std::uint64_t* const pointer = originOf(line, group);
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

void Checker::misalignedAccess(const Line& line, const isa::MemoryAccess& access) {
    const std::uint64_t low = line.checked.elementBytes - 1;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(access.lanes));
    const std::uint64_t by = access.address[first] & low;
    if (by == 0 || !groups_.has(Group::memory)) return;
    // Members of packed structures that lie behind each other are each misaligned in another way.
    for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1)
        if ((access.address[static_cast<std::uint32_t>(std::countr_zero(rest))] & low) != by) return;
    const machine::Allocation* const found = machine_.memory().table().find(access.address[first]);
    if (found != nullptr) report(line, Kind::misaligned, access, first, found);
}

void Checker::constantAccess(const Line& line, const isa::MemoryAccess& access) {
    if (!groups_.has(Group::memory)) return;
    for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (!line.isReadOnly(access.address[lane])) continue;
        return report(line, Kind::denied, access, lane, machine_.memory().table().find(access.address[lane]));
    }
}

/// Whether it is clear that all lanes access what the group has, as it is for nearly all messages.
bool Checker::isInside(const Line& line, const isa::MemoryAccess& access) {
    const machine::Launch& launch = line.launch();
    const std::uint64_t bits = addressBits(access, access.lanes);
    return launch.slmGaps.empty() && bits <= isa::kLocalOffsetMask && bits + access.bytesPerLane <= launch.slmBytes;
}

void Checker::localAccess(const Line& line, GroupState& group, const isa::MemoryAccess& access) {
    const auto look = [&](const isa::MemoryAccess& which) {
        races_.local(group, {line.thread, line.number, line.context.index, line.group.dispatch().id(), line.command(),
                             line.context.loaded, which, line.checked.ofExchange});
    };
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
    if (line.launch().barrierCount > 1)
        group.arrive(line.context.index, signalOf(line.thread, line.thread.program->instruction(line.number)));
    else
        group.arrive(line.context.index);
}

void Checker::note(const Line& line, GroupState& group) {
    const std::int32_t place = line.checked.pointer;
    if (place == kUnknownPointer) return;
    if (line.checked.pointerByLanes) return noteLoaded(line, group);
    machine::ActiveDispatch& dispatch = line.group.dispatch();
    const auto pointer = line.thread.at<std::uint64_t>(static_cast<std::uint32_t>(place));
    if (const std::uint64_t* const known = group.noted(dispatch.id(), place); known != nullptr && *known == pointer)
        return;
    group.note(dispatch.id(), place, pointer);
    if (!line.checked.ofArguments) return;
    const CheckedProgram& program = programs_.of(*line.context.loaded);
    const std::vector<std::int32_t>& shown = program.parts[line.checked.part];
    const Lock guard(mutex_);
    auto& known = arguments_[dispatch.id()];
    known[place] = pointer;
    const bool all = std::ranges::all_of(shown, [&](std::int32_t one) { return known.contains(one); });
    if (all && !shown.empty()) dispatch.idle.fetch_or(kIdle, std::memory_order_relaxed);
}

/// Pointers that were loaded may lead anywhere. Those that are an argument's lead to what that points to.
void Checker::noteLoaded(const Line& line, GroupState& group) {
    const std::uint32_t lanes = isa::lanesOf(line.thread, line.number);
    if (lanes == 0) return;
    const std::uint32_t offset = line.thread.program->instruction(line.number).offset;
    const auto pointerOf = [&](std::uint32_t lane) {
        return line.thread.at<std::uint64_t>(static_cast<std::uint32_t>(line.checked.pointer) +
                                             (lane + offset) * static_cast<std::uint32_t>(sizeof(std::uint64_t)));
    };
    std::uint64_t pointer = pointerOf(static_cast<std::uint32_t>(std::countr_zero(lanes)));
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        if (pointerOf(static_cast<std::uint32_t>(std::countr_zero(rest))) != pointer) pointer = 0;
    const std::uint64_t* const known = group.noted(line.launchOfThread(), line.checked.pointer);
    if (known != nullptr && *known == pointer) return;
    if (pointer != 0 && !isArgument(line, pointer)) pointer = 0;
    group.note(line.launchOfThread(), line.checked.pointer, pointer);
}

/// The launch passes it to its threads.
bool Checker::isArgument(const Line& line, std::uint64_t pointer) {
    const auto has = [&](std::span<const std::byte> passed) {
        for (std::size_t at = 0; at + sizeof pointer <= passed.size(); at += sizeof pointer)
            if (std::memcmp(passed.data() + at, &pointer, sizeof pointer) == 0) return true;
        return false;
    };
    if (line.isPrivate(pointer)) return false;
    return has(line.group.dispatch().payload()) || has(line.launch().inlineData);
}

const std::uint64_t* Checker::originOf(const Line& line, GroupState& group) {
    const std::int32_t place = line.checked.pointer;
    if (place == kUnknownPointer) return nullptr;
    if (line.checked.pointerByLanes) {
        const std::uint64_t* const noted = group.noted(line.launchOfThread(), place);
        return noted != nullptr && *noted != 0 ? noted : nullptr;
    }
    const machine::ActiveDispatch& dispatch = line.group.dispatch();
    const std::uint64_t* const noted = group.noted(dispatch.id(), place);
    if (noted != nullptr || !line.checked.ofArguments) return noted;
    if ((dispatch.idle.load(std::memory_order_relaxed) & kIdle) == 0) return nullptr;
    const Lock guard(mutex_);
    const auto& known = arguments_[dispatch.id()];
    const auto found = known.find(place);
    if (found == known.end()) return nullptr;
    group.note(dispatch.id(), place, found->second);
    return group.noted(dispatch.id(), place);
}

void Checker::report(const Line& line, Kind kind, const isa::MemoryAccess& access, std::uint32_t lane,
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
    {
        const Lock guard(mutex_);
        arguments_.erase(dispatch.id());
    }
    // Its own launch counts, if it is of a command.
    if (running_.load(std::memory_order_relaxed) <= (dispatch.launch().command != 0 ? 1u : 0u)) {
        clock_.clear();
        shadow_.keepOnly(machine_.memory());
    }
    return findings;
}

}  // namespace zetl::emulator::check
