#include "emulator/check/init_check.h"

#include <algorithm>
#include <bit>
#include <new>

#include "emulator/isa/register_descriptor.h"
#include "emulator/isa/register_use.h"
#include "emulator/isa/step.h"
#include "emulator/machine/execution/device_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/memory/allocation_table.h"
#include "emulator/machine/tools/hardware_thread.h"
#include "isa/xe/legacy_message.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::check {

using isa::Instruction;
using isa::Opcode;
using zetl::check::Kind;

namespace {

constexpr std::uint32_t kDenseLanes = 16;  // of a component of a message's data, at least

bool isSend(const Instruction& in) noexcept { return in.opcode == Opcode::send || in.opcode == Opcode::sendc; }

bool isBranch(const Instruction& in) noexcept {
    constexpr Opcode kBranches[] = {Opcode::jmpi,         Opcode::branchIf, Opcode::branchWhile, Opcode::breakLoop,
                                    Opcode::continueLoop, Opcode::halt,     Opcode::jumpTo};
    return std::ranges::find(kBranches, in.opcode) != std::end(kBranches);
}

std::uint32_t registersFor(std::uint64_t bytes) noexcept {
    return static_cast<std::uint32_t>((bytes + isa::layout::kRegisterBytes - 1) / isa::layout::kRegisterBytes);
}

std::uint64_t numberIn(const machine::WorkGroup& group) noexcept {
    const machine::Launch& launch = group.dispatch().launch();
    return numberOf(group.id(),
                    {launch.firstGroup[0] + launch.groupCount[0], launch.firstGroup[1] + launch.groupCount[1],
                     launch.firstGroup[2] + launch.groupCount[2]});
}

}  // namespace

struct InitCheck::Line {
    isa::Thread& thread;
    const machine::HardwareThread& context;
    const machine::WorkGroup& group;
    RegisterLevels& registers;
    isa::Line number;
    const Instruction& in;
};

/// Where the data of a message's lanes lie in registers.
struct InitCheck::Data {
    explicit Data(const Instruction& in)
        : descriptor(zetl::isa::xe::modernForm(in).message),
          place((descriptor.stores() ? in.source[1].number : in.destination.number) * isa::layout::kRegisterBytes),
          components(descriptor.quad() ? std::popcount(static_cast<unsigned>(descriptor.components))
                                       : descriptor.vectorLength()),
          componentBytes(std::max<std::uint32_t>(in.width, kDenseLanes) * descriptor.registerBytes()) {}

    std::uint32_t at(std::uint32_t lane, std::uint32_t component) const noexcept {
        return place + component * componentBytes + lane * descriptor.registerBytes();
    }
    /// Its lanes lie as at() says.
    bool byLanes() const noexcept { return !descriptor.transposed && !descriptor.block2d() && !descriptor.quad(); }

    zetl::isa::xe::lsc::Descriptor descriptor;
    std::uint32_t place;
    std::uint32_t components;
    std::uint32_t componentBytes;
};

InitCheck::InitCheck(machine::Machine& machine) : machine_(machine) {
    for (std::uint32_t index = 0; index < machine.devices(); ++index)
        holds_.push_back(static_cast<machine::DeviceRuntime&>(machine.device(index)).observers().hold(*this));
}

std::vector<bool> InitCheck::linesOf(const machine::LoadedProgram& loaded) const {
    std::vector<bool> lines(loaded.program->lineCount());
    for (isa::Line line = 0; line < lines.size(); ++line) {
        const Instruction& in = loaded.program->instruction(line);
        lines[line] = isSend(in) || isa::computesByLanes(in) ||
                      (isBranch(in) && in.predicate != zetl::isa::xe::Predicate::none) || in.opcode == Opcode::dpas ||
                      in.opcode == Opcode::movi;
    }
    return lines;
}

InitCheck::ThreadState& InitCheck::stateOf(const machine::HardwareThread& thread, const machine::WorkGroup& group) {
    thread_local const InitCheck* owner = nullptr;
    thread_local const machine::HardwareThread* last = nullptr;
    thread_local ThreadState* state = nullptr;
    if (owner != this || last != &thread) {
        const Lock guard(mutex_);
        std::unique_ptr<ThreadState>& known = threads_[&thread];
        if (!known) known = std::make_unique<ThreadState>();
        state = known.get();
        last = &thread;
        owner = this;
    }
    const std::uint64_t launch = group.dispatch().id();
    const std::uint64_t number = numberIn(group);
    if (state->launch == launch && state->group == number && state->index == thread.index) return *state;
    state->launch = launch;
    state->group = number;
    state->index = thread.index;
    const machine::Launch& of = group.dispatch().launch();
    const std::uint32_t given = 1 + registersFor(of.preloadBytes) + registersFor(of.inlineData.size());
    state->registers.begin(thread.loaded->readFirst(of.kernelOffset + of.entryOffset, thread.state.dispatched), given);
    return *state;
}

MemoryLevels* InitCheck::localOf(const machine::WorkGroup& group) {
    const std::uint32_t bytes = group.dispatch().launch().slmBytes;
    if (bytes == 0) return nullptr;
    const Lock guard(mutex_);
    std::unique_ptr<GroupState>& state = groups_[&group];
    if (!state) state = std::make_unique<GroupState>();
    const std::uint64_t launch = group.dispatch().id();
    const std::uint64_t number = numberIn(group);
    if (!state->local || state->local->count() != bytes)
        state->local = MemoryLevels::make(bytes);
    else if (state->launch != launch || state->group != number)
        state->local->forget();
    state->launch = launch;
    state->group = number;
    return state->local.get();
}

void InitCheck::beforeLine(isa::Thread& thread, isa::Line number) noexcept try {
    const machine::HardwareThread& context = machine::HardwareThread::of(thread);
    if (context.loaded == nullptr || context.loaded->program.get() != thread.program) return;
    const machine::WorkGroup& group = machine::WorkGroup::of(context);
    look({thread, context, group, stateOf(context, group).registers, number, thread.program->instruction(number)});
} catch (const std::bad_alloc&) {  // this line is not checked
}

void InitCheck::look(const Line& line) {
    if (isSend(line.in)) return message(line);
    if (line.registers.clean()) return;
    const std::uint32_t enabled = isa::enabledLanes(line.thread, isa::laneMaskOf(line.in));
    if (isBranch(line.in)) {
        const std::uint32_t lanes = line.registers.undecided(line.in, enabled);
        if (lanes == 0) return;
        line.registers.defineFlags(line.in);
        return report(line, Kind::uninitBranch,
                      static_cast<std::int8_t>(line.in.noMask ? -1 : std::countr_zero(lanes) + line.in.offset));
    }
    if (isa::computesByLanes(line.in)) return line.registers.compute(line.thread, line.in, enabled);
    line.registers.define(isa::placeOf(line.in.destination), isa::kManyRegisterBytes);
}

void InitCheck::message(const Line& line) {
    const auto plan = isa::AccessPlan::of(line.in);
    const std::uint32_t destination = line.in.destination.number * isa::layout::kRegisterBytes;
    if (!plan || isa::isDeferred(line.in.message)) {
        if (line.in.destination.isGrf()) line.registers.define(destination, isa::messageDataBytes(line.in));
        return;
    }
    const isa::MemoryAccess access = plan->access(line.thread);
    if (!line.registers.clean() && plan->shape.addressBytes != 0 && !plan->shape.block2d) {
        const std::uint32_t at = plan->payload + plan->shape.addressAt;
        for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
            const std::uint32_t place = at + (plan->shape.strided ? 0 : lane) * plan->shape.addressBytes;
            if (line.registers.highest(place, plan->shape.addressBytes) == Level::defined) continue;
            report(line, Kind::uninitAddress, static_cast<std::int8_t>(lane + line.in.offset));
            line.registers.define(at, 32 * plan->shape.addressBytes);
            break;
        }
    }
    if (plan->shape.write && !plan->shape.atomic) return store(line, access);
    load(line, access);
}

MemoryLevels* InitCheck::levelsAt(const Line& line, isa::MemorySpace space, std::uint64_t address,
                                  std::uint64_t& offset) {
    if (space == isa::MemorySpace::local) {
        offset = address & isa::kLocalOffsetMask;
        return localOf(line.group);
    }
    if (space != isa::MemorySpace::global) return nullptr;
    const machine::Allocation* const found = machine_.memory().table().find(address);
    if (found == nullptr) return nullptr;
    offset = address - found->begin;
    return allocations_.of(*found);
}

void InitCheck::load(const Line& line, const isa::MemoryAccess& access) {
    const Data data(line.in);
    if (!line.in.destination.isGrf()) {  // an atomic without a result
        if (access.atomic) store(line, access);
        return;
    }
    if (access.atomic || data.descriptor.block2d() || data.descriptor.quad()) {
        line.registers.define(data.place, isa::messageDataBytes(line.in));
        if (access.atomic) store(line, access);
        return;
    }
    const std::uint32_t bytes = data.descriptor.memoryBytes();
    const std::uint32_t kept = data.descriptor.registerBytes();
    for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
        std::uint64_t offset = 0;
        const MemoryLevels* const levels = levelsAt(line, access.space, access.address[lane], offset);
        for (std::uint32_t component = 0; component < data.components; ++component) {
            const std::uint32_t place = data.byLanes() ? data.at(lane, component) : data.place + component * kept;
            for (std::uint32_t i = 0; i < kept; ++i) {
                const Level level =
                    levels == nullptr || i >= bytes ? Level::defined : levels->at(offset + component * bytes + i);
                if (level != Level::defined || !line.registers.clean()) line.registers.set(place + i, level);
            }
        }
    }
}

void InitCheck::store(const Line& line, const isa::MemoryAccess& access) {
    const Data data(line.in);
    const std::uint32_t bytes = data.descriptor.memoryBytes();
    Level worst = Level::defined;
    std::uint32_t worstLane = 0;
    for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
        std::uint64_t offset = 0;
        MemoryLevels* const levels = levelsAt(line, access.space, access.address[lane], offset);
        if (line.registers.clean() || access.atomic || (!data.byLanes() && !data.descriptor.transposed)) {
            if (levels != nullptr) levels->define(offset, access.bytesPerLane);
            continue;
        }
        for (std::uint32_t component = 0; component < data.components; ++component) {
            const std::uint32_t place =
                data.byLanes() ? data.at(lane, component) : data.place + component * data.descriptor.registerBytes();
            for (std::uint32_t i = 0; i < bytes; ++i) {
                const Level level = line.registers.at(place + i);
                if (levels != nullptr) levels->set(offset + component * bytes + i, level);
                if (level > worst) worst = level, worstLane = lane;
            }
        }
    }
    if (access.space != isa::MemorySpace::global || worst < Level::computed) return;
    report(line, worst == Level::chosen ? Kind::uninitBranch : Kind::uninitOutput,
           static_cast<std::int8_t>(access.lanes == 1 ? -1 : static_cast<int>(worstLane + line.in.offset)));
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
