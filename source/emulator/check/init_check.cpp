#include "emulator/check/init_check.h"

#include <algorithm>
#include <bit>
#include <new>
#include <optional>

#include "emulator/check/access_runs.h"
#include "emulator/check/found_last.h"
#include "emulator/isa/register_use.h"
#include "emulator/isa/step.h"
#include "emulator/machine/execution/device_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/memory/allocation_table.h"
#include "emulator/machine/tools/hardware_thread.h"

namespace zetl::emulator::check {

using isa::Instruction;
using zetl::check::Kind;

namespace {

std::uint32_t registersFor(std::uint64_t bytes) noexcept {
    return static_cast<std::uint32_t>((bytes + isa::layout::kRegisterBytes - 1) / isa::layout::kRegisterBytes);
}

std::uint64_t numberIn(const machine::WorkGroup& group) noexcept {
    const machine::Launch& launch = group.dispatch().launch();
    return numberOf(group.id(),
                    {launch.firstGroup[0] + launch.groupCount[0], launch.firstGroup[1] + launch.groupCount[1],
                     launch.firstGroup[2] + launch.groupCount[2]});
}

/// Blocks of scratch memory are registers that the compiler has put there: what it loads again counts as written.
/// Arrays of work-items lie there, too, and are accessed by lanes.
bool isFill(const isa::AccessShape& shape) noexcept {
    return shape.space == isa::MemorySpace::scratch && shape.block && !shape.write;
}
bool isSpill(const isa::AccessShape& shape) noexcept {
    return shape.space == isa::MemorySpace::scratch && shape.block && shape.write;
}

/// A message about which there is nothing to say while the thread's registers are defined: what it accesses, if it
/// does, counts as written.
bool isOwn(const InitProgram::Message& message) noexcept {
    if (!message.plan) return true;
    const isa::AccessShape& shape = message.plan->shape;
    if (shape.space == isa::MemorySpace::scratch) return isFill(shape);
    const bool looksAt = shape.space == isa::MemorySpace::global || shape.space == isa::MemorySpace::local;
    return !looksAt || (!shape.write && !message.data.known);
}

}  // namespace

namespace {

/// Whether the line, which is no message, uses something that is not defined.
bool mayMeet(const RegisterLevels& registers, const InitProgram::Line& does, const isa::Thread& thread,
             isa::Line number) noexcept {
    if (does.what != InitProgram::What::computes) return registers.mayMeet(does.used);
    return registers.mayMeet(does.read) || registers.mayMeet(does.written) ||
           (does.anywhere && registers.mayMeetAddressed(thread, thread.program->instruction(number)));
}

/// Of lanes that lie apart, the thread is going to wait for what it accesses. The host loads it meanwhile.
void loadAhead(const isa::MemoryAccess& access) noexcept {
    for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1)
        __builtin_prefetch(
            reinterpret_cast<const void*>(access.address[static_cast<std::uint32_t>(std::countr_zero(rest))]), 1);
}

}  // namespace

struct InitCheck::Line {
    isa::Thread& thread;
    const machine::HardwareThread& context;
    const machine::WorkGroup& group;
    ThreadState& state;
    RegisterLevels& registers;
    isa::Line number;
    const InitProgram& program;
    const InitProgram::Line& does;
    mutable std::optional<MemoryLevels*> local{};  ///< of the group's local memory, once it was looked for

    const InitProgram::Message& message() const noexcept { return program.messages[does.message]; }
    const Instruction& instruction() const noexcept { return thread.program->instruction(number); }
    std::int8_t lane(std::uint32_t of) const noexcept { return static_cast<std::int8_t>(of + instruction().offset); }
};

InitCheck::InitCheck(machine::Machine& machine) : machine_(machine) {
    for (std::uint32_t index = 0; index < machine.devices(); ++index)
        holds_.push_back(static_cast<machine::DeviceRuntime&>(machine.device(index)).observers().hold(*this));
}

std::vector<bool> InitCheck::linesOf(const machine::LoadedProgram& loaded) const {
    const InitProgram& program = programs_.of(loaded);
    std::vector<bool> lines(program.lines.size());
    for (std::size_t line = 0; line < lines.size(); ++line)
        lines[line] = program.lines[line].what != InitProgram::What::nothing;
    return lines;
}

std::vector<bool> InitCheck::idleLinesOf(const machine::LoadedProgram& loaded) const {
    const InitProgram& program = programs_.of(loaded);
    std::vector<bool> lines(program.lines.size());
    for (std::size_t line = 0; line < lines.size(); ++line)
        lines[line] = !program.lines[line].takesUnwritten && (program.lines[line].what != InitProgram::What::sends ||
                                                              isOwn(program.messages[program.lines[line].message]));
    return lines;
}

std::vector<isa::Followed> InitCheck::usesOf(const machine::LoadedProgram& loaded) const {
    RegisterSet all;
    all.addAll();
    std::vector<isa::Followed> uses;
    for (const InitProgram::Line& line : programs_.of(loaded).lines)
        uses.push_back((line.anywhere ? all : line.used).words());
    return uses;
}

InitCheck::ThreadState& InitCheck::stateOf(const machine::HardwareThread& thread, const machine::WorkGroup& group) {
    ThreadState* const state = foundLast(version_, &thread, [&] {
        const Lock guard(mutex_);
        std::unique_ptr<ThreadState>& known = threads_[&thread];
        if (!known) known = std::make_unique<ThreadState>();
        return known.get();
    });
    const std::uint64_t launch = group.dispatch().id();
    const std::uint64_t number = numberIn(group);
    if (state->launch == launch && state->group == number && state->index == thread.index) return *state;
    state->launch = launch;
    state->group = number;
    state->index = thread.index;
    const machine::Launch& of = group.dispatch().launch();
    const std::uint32_t dispatched = thread.state.dispatched;
    ThreadState::ReadFirst& first = state->readFirst;
    if (first.loaded != thread.loaded || first.launch != launch || first.dispatched != dispatched)
        first = {thread.loaded, launch, dispatched,
                 programs_.of(*thread.loaded)
                     .readOf(thread.loaded->readFirst(of.kernelOffset + of.entryOffset, dispatched))};
    const std::uint32_t given = 1 + registersFor(of.preloadBytes) + registersFor(of.inlineData.size());
    state->registers.begin(first.runs, given);
    if (state->ownMemory) state->ownMemory->forget();
    if (state->scratch) state->scratch->forget();
    return *state;
}

MemoryLevels* InitCheck::localOf(const machine::WorkGroup& group) {
    const std::uint32_t bytes = group.dispatch().launch().slmBytes;
    if (bytes == 0) return nullptr;
    // The group's own, which one worker runs at a time.
    GroupState& state = *foundLast(version_, &group, [&] {
        const Lock guard(mutex_);
        std::unique_ptr<GroupState>& known = groups_[&group];
        if (!known) known = std::make_unique<GroupState>();
        return known.get();
    });
    const std::uint64_t launch = group.dispatch().id();
    const std::uint64_t number = numberIn(group);
    if (!state.local || state.local->count() != bytes)
        state.local = MemoryLevels::make(bytes);
    else if (state.launch != launch || state.group != number)
        state.local->forget();
    state.launch = launch;
    state.group = number;
    return state.local.get();
}

MemoryLevels* InitCheck::localOf(const Line& line) {
    if (!line.local) line.local = localOf(line.group);
    return *line.local;
}

MemoryLevels* InitCheck::privateAt(const Line& line, std::uint64_t address, std::uint64_t& offset) {
    const machine::Launch& launch = line.group.dispatch().launch();
    if (launch.privateBytes == 0) return nullptr;
    const std::uint64_t within = address - (launch.privateBase + line.context.slot * launch.privateBytes);
    if (within >= launch.privateBytes) return nullptr;
    std::unique_ptr<MemoryLevels>& levels = line.state.ownMemory;
    if (!levels || levels->count() != launch.privateBytes) levels = MemoryLevels::make(launch.privateBytes);
    offset = within;
    return levels.get();
}

MemoryLevels* InitCheck::scratchOf(const Line& line) {
    const std::size_t bytes = line.thread.scratch.size();
    std::unique_ptr<MemoryLevels>& levels = line.state.scratch;
    if (!levels || levels->count() != bytes) levels = MemoryLevels::make(bytes);
    return levels.get();
}

void InitCheck::beforeLine(isa::Thread& thread, isa::Line number) noexcept try {
    const machine::HardwareThread& context = machine::HardwareThread::of(thread);
    if (context.loaded == nullptr || context.loaded->program.get() != thread.program) return;
    // Of this worker.
    thread_local struct {
        std::uint64_t version = 0;
        const machine::LoadedProgram* loaded = nullptr;
        const InitProgram* program = nullptr;
        const machine::HardwareThread* thread = nullptr;
        std::uint64_t launch = 0;
        machine::Extent group{};
        std::uint32_t index = 0;
        ThreadState* state = nullptr;  ///< of that thread of that group
    } last;
    if (last.version != version_ || last.loaded != context.loaded)
        last = {version_, context.loaded, &programs_.of(*context.loaded)};
    const InitProgram& program = *last.program;
    const InitProgram::Line& does = program.lines[number];
    const machine::WorkGroup& group = machine::WorkGroup::of(context);
    const std::uint64_t launch = group.dispatch().id();
    if (last.thread != &context || last.launch != launch || last.group != group.id() || last.index != context.index) {
        last.thread = nullptr;
        last.state = &stateOf(context, group);
        last.thread = &context;
        last.launch = launch;
        last.group = group.id();
        last.index = context.index;
    }
    ThreadState& state = *last.state;
    RegisterLevels& registers = state.registers;
    if (does.what == InitProgram::What::sends || does.takesUnwritten || mayMeet(registers, does, thread, number))
        look({thread, context, group, state, registers, number, program, does});
    thread.followed = registers.marked().words();
    thread.idle |= kIdle;
} catch (const std::bad_alloc&) {  // this line is not checked
}

std::uint32_t InitCheck::passes(const isa::GroupAccesses& accesses) noexcept try {
    const machine::HardwareThread& context = machine::HardwareThread::of(accesses.thread);
    if (context.loaded == nullptr || context.loaded->program.get() != accesses.thread.program) return 0;
    const InitProgram& program = programs_.of(*context.loaded);
    const machine::WorkGroup& group = machine::WorkGroup::of(context);
    ThreadState& state = stateOf(context, group);
    if (!state.registers.marked().empty() || group.dispatch().launch().privateBytes != 0) return 0;
    const std::uint64_t* begin = accesses.begins.data();
    for (std::uint32_t thread = 0; thread < accesses.count; ++thread, begin += accesses.each.size())
        for (std::size_t i = 0; i < accesses.each.size(); ++i) {
            const isa::Line number = accesses.each[i].line;
            const InitProgram::Line& does = program.lines[number];
            const Line line{accesses.thread, context, group, state, state.registers, number, program, does};
            if (does.what != InitProgram::What::sends || !line.message().plan) return thread;
            if (line.message().plan->shape.space == isa::MemorySpace::scratch) return thread;
            if (!isOwn(line.message()) && !isPlain(line, std::array{isa::AccessSpan{begin[i], accesses.each[i].bytes}}))
                return thread;
        }
    return accesses.count;
} catch (const std::bad_alloc&) {  // each line is looked at
    return 0;
}

void InitCheck::look(const Line& line) {
    using What = InitProgram::What;
    if (line.does.what == What::sends) return message(line);
    if (line.does.takesUnwritten) {
        const std::uint32_t place = isa::placeOf(line.instruction().destination);
        for (std::uint32_t i = 0; i < sizeof(std::uint32_t); ++i) line.registers.set(place + i, Level::unwritten);
        return;
    }
    const Instruction& in = line.instruction();
    const std::uint32_t enabled = isa::enabledLanes(line.thread, isa::laneMaskOf(in));
    if (line.does.what == What::branches) {
        const std::uint32_t lanes = line.registers.undecided(in, enabled);
        if (lanes == 0) return;
        line.registers.defineFlags(in);
        report(line, Kind::uninitBranch,
               in.noMask ? std::int8_t{-1} : line.lane(static_cast<std::uint32_t>(std::countr_zero(lanes))));
    } else if (line.does.what == What::computes) {
        if ((line.does.anywhere || line.registers.mayMeet(line.does.read)) &&
            line.registers.reads(line.thread, in, enabled))
            line.registers.compute(line.thread, in, enabled);
        else
            line.registers.defineResult(line.thread, in, enabled);
    } else {
        line.registers.define(isa::placeOf(in.destination), isa::kManyRegisterBytes);
    }
}

void InitCheck::message(const Line& line) {
    const InitProgram::Message& does = line.message();
    const bool marked = line.registers.mayMeet(line.does.used);
    if (!does.plan) {
        if (!marked) return;
        return line.registers.define(does.destination, does.destinationBytes);
    }
    if (!marked && (isOwn(does) || isOfWholeLocal(line))) return;
    access(line, marked);
    const isa::AccessShape& shape = does.plan->shape;
    MemoryLevels* const stored = shape.write && shape.space == isa::MemorySpace::local ? localOf(line) : nullptr;
    if (stored != nullptr) stored->lookFurther();
}

/// A message to local memory of which every byte is defined, and stays so.
bool InitCheck::isOfWholeLocal(const Line& line) {
    if (line.message().plan->shape.space != isa::MemorySpace::local) return false;
    const MemoryLevels* const levels = localOf(line);
    return levels == nullptr || levels->isWhole();
}

void InitCheck::access(const Line& line, bool marked) {
    const InitProgram::Message& does = line.message();
    if (const isa::AccessSpans spans = marked ? isa::AccessSpans{} : does.plan->spans(line.thread);
        spans.count != 0 && isPlain(line, spans))
        return;
    const isa::MemoryAccess access = does.plan->access(line.thread);
    if (access.space == isa::MemorySpace::global) loadAhead(access);
    if (!marked && (access.lanes == 0 || arePlain(line, access))) return;
    const isa::AccessShape& shape = does.plan->shape;
    if (marked && shape.addressBytes != 0 && !shape.block2d) lookAtAddresses(line, access);
    if (shape.atomic)
        atomic(line, access, marked);
    else if (shape.write)
        store(line, access, marked);
    else
        load(line, access, marked);
}

const InitCheck::ThreadState::Accessed* InitCheck::accessedAt(const Line& line, std::uint64_t address) {
    const machine::AllocationTable& table = machine_.memory().table();
    ThreadState::Accessed& last = line.state.accessed[line.does.message % line.state.accessed.size()];
    const std::uint64_t tableVersion = table.version();
    const std::uint64_t levelsVersion = allocations_.version();
    if (last.tableVersion == tableVersion && last.levelsVersion == levelsVersion && last.allocation->contains(address))
        return &last;
    const machine::Allocation* const found = table.find(address);
    if (found == nullptr) return nullptr;
    last = {tableVersion, levelsVersion, found, allocations_.of(*found)};
    return &last;
}

/// Done, because all that it moves is written: so are messages nearly always. Otherwise it has to be looked at.
template <class Pieces>
bool InitCheck::isPlain(const Line& line, const Pieces& pieces) {
    const isa::AccessShape& shape = line.message().plan->shape;
    const bool isLocal = shape.space == isa::MemorySpace::local;
    std::uint64_t begin = 0;
    std::uint64_t bytes = isa::kLocalOffsetMask;
    MemoryLevels* levels = nullptr;
    if (isLocal) {
        levels = localOf(line);
    } else if (shape.space == isa::MemorySpace::scratch) {
        levels = scratchOf(line);
        if (levels == nullptr) return true;
        bytes = levels->count();
    } else if (std::uint64_t offset = 0; (levels = privateAt(line, pieces.begin()->address, offset)) != nullptr) {
        begin = pieces.begin()->address - offset;
        bytes = levels->count();
    } else {
        const ThreadState::Accessed* const found = accessedAt(line, pieces.begin()->address);
        if (found == nullptr) return false;
        levels = found->levels;
        begin = found->allocation->begin;
        bytes = found->allocation->bytes();
    }
    if (levels == nullptr && isLocal) return true;
    for (const auto& piece : pieces) {
        const std::uint64_t offset = isLocal ? piece.address & isa::kLocalOffsetMask : piece.address - begin;
        if (offset >= bytes || piece.bytes > bytes - offset) return false;
        if (levels == nullptr) continue;
        if (shape.write && !shape.atomic)
            levels->define(offset, piece.bytes);
        else if (!levels->defined(offset, piece.bytes))
            return false;
    }
    return true;
}

/// The same by lanes. Those of scratch memory are apart: the arrays of work-items lie behind each other.
bool InitCheck::arePlain(const Line& line, const isa::MemoryAccess& access) {
    if (access.space != isa::MemorySpace::scratch) return isPlain(line, AccessRuns(access));
    MemoryLevels* const levels = scratchOf(line);
    if (levels == nullptr) return true;
    if (access.bytesPerLane == sizeof(std::uint32_t))
        return access.write ? levels->defineWords(access.address, access.lanes)
                            : levels->wordsDefined(access.address, access.lanes);
    bool plain = true;
    for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
        const std::uint64_t offset = access.address[static_cast<std::size_t>(std::countr_zero(lanes))];
        if (offset >= levels->count() || access.bytesPerLane > levels->count() - offset) return false;
        if (access.write)
            levels->define(offset, access.bytesPerLane);
        else
            plain = plain && levels->defined(offset, access.bytesPerLane);
    }
    return plain;
}

void InitCheck::lookAtAddresses(const Line& line, const isa::MemoryAccess& access) {
    const isa::AccessPlan& plan = *line.message().plan;
    const std::uint32_t at = plan.payload + plan.shape.addressAt;
    for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
        const std::uint32_t place = at + (plan.shape.strided ? 0 : lane) * plan.shape.addressBytes;
        if (line.registers.highest(place, plan.shape.addressBytes) == Level::defined) continue;
        report(line, Kind::uninitAddress, line.lane(lane));
        line.registers.define(at, 32 * plan.shape.addressBytes);
        return;
    }
}

MemoryLevels* InitCheck::levelsAt(const Line& line, const isa::MemoryAccess& access, std::uint32_t lane,
                                  std::uint64_t& offset) {
    const isa::MemorySpace space = access.space;
    const std::uint64_t address = access.address[lane];
    if (space == isa::MemorySpace::local) {
        offset = address & isa::kLocalOffsetMask;
        return localOf(line);
    }
    if (space == isa::MemorySpace::scratch) {
        offset = address;
        return scratchOf(line);
    }
    if (space != isa::MemorySpace::global) return nullptr;
    if (MemoryLevels* const own = privateAt(line, address, offset)) return own;
    const ThreadState::Accessed* const found = accessedAt(line, address);
    if (found == nullptr) return nullptr;
    offset = address - found->allocation->begin;
    return found->levels;
}

void InitCheck::load(const Line& line, const isa::MemoryAccess& access, bool marked) {
    const MessageData& data = line.message().data;
    if (line.message().destinationBytes == 0) return;
    if (!data.known || isFill(line.message().plan->shape)) {
        if (marked) line.registers.define(data.place, line.message().destinationBytes);
        return;
    }
    for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
        std::uint64_t offset = 0;
        const MemoryLevels* const levels = levelsAt(line, access, lane, offset);
        for (std::uint32_t component = 0; component < data.components; ++component) {
            const std::uint32_t place = data.byLanes ? data.at(lane, component) : data.place + component * data.kept;
            RegisterLevels::Lane loaded{};
            for (std::uint32_t i = 0; levels != nullptr && i < std::min(data.kept, data.bytes); ++i)
                loaded[i] = levels->at(offset + component * data.bytes + i);
            if (marked || loaded != RegisterLevels::Lane{}) line.registers.set(place, loaded, data.kept);
        }
    }
}

/// Global memory that an unwritten value is computed into is reported at once: the host will read it.
void InitCheck::atomic(const Line& line, const isa::MemoryAccess& access, bool marked) {
    const InitProgram::Message& does = line.message();
    const bool isGlobal = access.space == isa::MemorySpace::global;
    const std::uint32_t kept = std::max<std::uint32_t>(access.bytesPerLane, sizeof(std::uint32_t));  // in registers
    if (marked) line.registers.define(does.destination, does.destinationBytes);
    std::int32_t worstLane = -1;
    for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
        std::uint64_t offset = 0;
        MemoryLevels* const levels = levelsAt(line, access, lane, offset);
        Level found = Level::defined;
        for (std::uint32_t i = 0; levels != nullptr && i < access.bytesPerLane; ++i)
            found = std::max(found, levels->at(offset + i));
        Level level = found;
        if (marked && does.operand >= 0)
            level =
                std::max(level, line.registers.highest(static_cast<std::uint32_t>(does.operand) + lane * kept, kept));
        const bool mixed = does.mixes && level != Level::defined;
        if (mixed && isGlobal && worstLane < 0) worstLane = static_cast<std::int32_t>(lane);
        for (std::uint32_t i = 0; levels != nullptr && access.write && i < access.bytesPerLane; ++i)
            levels->set(offset + i, mixed && !isGlobal ? std::max(level, Level::computed) : Level::defined);
        const bool returns = does.destinationBytes != 0 && found != Level::defined && !(mixed && isGlobal);
        for (std::uint32_t i = 0; returns && i < kept; ++i)
            line.registers.set(does.destination + lane * kept + i, found);
    }
    if (worstLane >= 0) report(line, Kind::uninitOutput, line.lane(static_cast<std::uint32_t>(worstLane)));
}

void InitCheck::store(const Line& line, const isa::MemoryAccess& access, bool marked) {
    const MessageData& data = line.message().data;
    Level worst = Level::defined;
    std::uint32_t worstLane = 0;
    for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
        std::uint64_t offset = 0;
        MemoryLevels* const levels = levelsAt(line, access, lane, offset);
        if (!marked || isSpill(line.message().plan->shape) || (!data.byLanes && !data.transposed)) {
            if (levels != nullptr) levels->define(offset, access.bytesPerLane);
            continue;
        }
        for (std::uint32_t component = 0; component < data.components; ++component) {
            const std::uint32_t place = data.byLanes ? data.at(lane, component) : data.place + component * data.kept;
            for (std::uint32_t i = 0; i < data.bytes; ++i) {
                const Level level = line.registers.at(place + i);
                if (levels != nullptr) levels->set(offset + component * data.bytes + i, level);
                if (level <= worst) continue;
                worst = level;
                worstLane = lane;
            }
        }
    }
    if (access.space != isa::MemorySpace::global || worst < Level::computed) return;
    report(line, worst == Level::chosen ? Kind::uninitBranch : Kind::uninitOutput,
           access.lanes == 1 ? std::int8_t{-1} : line.lane(worstLane));
}

void InitCheck::written(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) noexcept {
    const machine::AllocationTable& table = machine_.memory().table();
    const machine::Allocation* const target = table.find(to);
    MemoryLevels* const levels = target != nullptr ? allocations_.of(*target) : nullptr;
    if (levels == nullptr) return;
    const machine::Allocation* const origin = from != 0 ? table.find(from) : nullptr;
    const MemoryLevels* const copied = origin != nullptr ? allocations_.of(*origin) : nullptr;
    if (copied == nullptr) return levels->define(to - target->begin, bytes);
    for (std::uint64_t i = 0; i < bytes; ++i) levels->set(to - target->begin + i, copied->at(from - origin->begin + i));
}

void InitCheck::report(const Line& line, Kind kind, std::int8_t lane) {
    Observation observation;
    observation.kind = kind;
    observation.launch = line.group.dispatch().id();
    observation.program = line.context.loaded;
    observation.now = {Access::none, line.number, line.context.index, numberIn(line.group), lane};
    observations_.add(observation);
}

std::vector<zetl::check::Finding> InitCheck::take(const machine::Dispatch& dispatch, const SourceOf& source) {
    std::vector<zetl::check::Finding> findings;
    for (const Observations::Seen& seen : observations_.take(dispatch.id())) {
        findings.push_back(findingOf(seen, dispatch.launch(), machine_.memory(), source));
        findings.back().message = zetl::check::infoOf(seen.first.kind).summary;
    }
    allocations_.keepOnly(machine_.memory());
    return findings;
}

}  // namespace zetl::emulator::check
