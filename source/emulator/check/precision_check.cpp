#include "emulator/check/precision_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <new>

#include "emulator/check/found_last.h"
#include "emulator/isa/register_descriptor.h"
#include "emulator/isa/register_use.h"
#include "emulator/isa/step.h"
#include "emulator/isa/thread.h"
#include "emulator/machine/execution/device_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/tools/hardware_thread.h"

namespace zetl::emulator::check {

using isa::DataType;
using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using zetl::check::Kind;

namespace {

constexpr std::uint32_t kFloatBytes = sizeof(float);
constexpr std::uint32_t kKeptBytes = isa::layout::kGrfBytes + isa::layout::kAccumulatorBytes;

float floatOf(std::uint32_t bits) noexcept { return std::bit_cast<float>(bits); }

bool isKept(const Operand& operand) noexcept {
    return (operand.isGrf() || operand.isAccumulator()) && !operand.isIndirect();
}

std::uint32_t placeFor(const Operand& operand) noexcept {
    return (operand.isAccumulator() ? isa::layout::kAccumulator : isa::layout::kGrf) + isa::placeOf(operand);
}

/// Functions of the mathematics unit, by their numbers.
std::optional<double> functionOf(std::uint8_t function, double a, double b) noexcept {
    switch (function) {
        case 1:
            return 1 / a;
        case 2:
            return std::log2(a);
        case 3:
            return std::exp2(a);
        case 4:
            return std::sqrt(a);
        case 5:
            return 1 / std::sqrt(a);
        case 6:
            return std::sin(a);
        case 7:
            return std::cos(a);
        case 9:
            return a / b;
        case 10:
            return std::pow(a, b);
        default:
            return std::nullopt;
    }
}

bool computesFloat(const Instruction& in) noexcept {
    constexpr Opcode kOpcodes[] = {Opcode::add, Opcode::mul, Opcode::mad, Opcode::math, Opcode::mov, Opcode::sel};
    if (std::ranges::find(kOpcodes, in.opcode) == std::end(kOpcodes)) return false;
    if (in.destination.type != DataType::f || !isKept(in.destination)) return false;
    if (in.opcode == Opcode::math && !functionOf(in.function, 1, 1)) return false;
    return std::all_of(in.source.begin(), in.source.begin() + in.sources, [&](const Operand& from) {
        const bool isNumber = from.type == DataType::f || (in.opcode == Opcode::mov && from.type == DataType::df);
        return isNumber && (from.isImmediate() || isKept(from));
    });
}

double errorOf(const PreciseFloat& one) noexcept {
    const double given = floatOf(one.bits);
    if (!std::isfinite(given) || !std::isfinite(one.value)) return 0;
    return std::fabs(given - one.value) / std::max(std::fabs(one.value), double{FLT_MIN});
}

double modified(const Operand& from, double value) noexcept {
    if (from.absolute) value = std::fabs(value);
    return from.negate ? -value : value;
}

}  // namespace

struct PrecisionCheck::Line {
    isa::Thread& thread;
    const machine::HardwareThread& context;
    const machine::WorkGroup& group;
    ThreadState& state;
    isa::Line number;
    const PrecisionProgram& program;

    std::uint64_t groupNumber() const noexcept { return numberOf(group.id(), gridOf(group.dispatch().launch())); }
    std::uint32_t bitsAt(std::uint32_t place) const noexcept { return thread.at<std::uint32_t>(place); }
    /// What is known of the float in a register, which may have come there in a way that is not looked at.
    PreciseFloat at(std::uint32_t place) const noexcept {
        const std::uint32_t bits = bitsAt(place);
        const PreciseFloat& known = state.registers[place / kFloatBytes];
        return known.bits == bits ? known : PreciseFloat{bits, isa::kNoLine, floatOf(bits)};
    }
};

PrecisionProgram::PrecisionProgram(const isa::Program& program) : lines(program.lineCount()) {
    for (isa::Line number = 0; number + 1 < lines.size(); ++number) {
        const Instruction& in = program.instruction(number);
        Line& line = lines[number];
        if (computesFloat(in)) {
            line.what = What::computes;
        } else if (isa::isSend(in.opcode) && !isa::isDeferred(in.message)) {
            const auto plan = isa::AccessPlan::of(in);
            const MessageData data(in);
            const bool isShared =
                plan && (plan->shape.space == isa::MemorySpace::global || plan->shape.space == isa::MemorySpace::local);
            if (!isShared || plan->shape.atomic || !data.known || data.bytes != kFloatBytes || data.kept != kFloatBytes)
                continue;
            line.what = plan->shape.write ? What::stores : What::loads;
            line.message = static_cast<std::uint32_t>(messages.size());
            messages.push_back({*plan, data});
        }
        lines[number + 1].follows = line.what == What::computes || line.what == What::loads;
    }
}

PrecisionCheck::PrecisionCheck(machine::Machine& machine, double most)
    : memory_(machine.memory()), most_(most), stored_(kMost) {
    for (std::uint32_t index = 0; index < machine.devices(); ++index)
        holds_.push_back(static_cast<machine::DeviceRuntime&>(machine.device(index)).observers().hold(*this));
}

const PrecisionProgram& PrecisionCheck::programOf(const machine::LoadedProgram& loaded) const {
    const Lock guard(mutex_);
    Known& known = programs_[&loaded];
    if (!known.program) {
        known.keep = loaded.shared_from_this();
        known.program = std::make_unique<const PrecisionProgram>(*loaded.program);
    }
    return *known.program;
}

std::vector<bool> PrecisionCheck::linesOf(const machine::LoadedProgram& loaded) const {
    const PrecisionProgram& program = programOf(loaded);
    std::vector<bool> lines(program.lines.size());
    for (std::size_t line = 0; line < lines.size(); ++line)
        lines[line] = program.lines[line].what != PrecisionProgram::What::nothing || program.lines[line].follows;
    return lines;
}

PrecisionCheck::ThreadState& PrecisionCheck::stateOf(const machine::HardwareThread& thread) {
    ThreadState& state = *foundLast(version_, &thread, [&] {
        const Lock guard(mutex_);
        std::unique_ptr<ThreadState>& known = threads_[&thread];
        if (!known) known = std::make_unique<ThreadState>();
        return known.get();
    });
    const machine::WorkGroup& group = machine::WorkGroup::of(thread);
    const std::uint64_t launch = group.dispatch().id();
    const std::uint64_t number = numberOf(group.id(), gridOf(group.dispatch().launch()));
    if (state.launch == launch && state.group == number && state.index == thread.index) return state;
    state.registers.assign(kKeptBytes / kFloatBytes, {});
    state.line = isa::kNoLine;
    state.launch = launch;
    state.group = number;
    state.index = thread.index;
    return state;
}

void PrecisionCheck::beforeLine(isa::Thread& thread, isa::Line number) noexcept try {
    const machine::HardwareThread& context = machine::HardwareThread::of(thread);
    if (context.loaded == nullptr || context.loaded->program.get() != thread.program) return;
    const PrecisionProgram& program = *foundLast(version_, context.loaded, [&] { return &programOf(*context.loaded); });
    const Line line{thread, context, machine::WorkGroup::of(context), stateOf(context), number, program};
    if (program.lines[number].follows && line.state.line + 1 == number) settle(line);
    line.state.line = isa::kNoLine;
    switch (program.lines[number].what) {
        case PrecisionProgram::What::computes:
            return compute(line);
        case PrecisionProgram::What::loads:
            line.state.access = program.messages[program.lines[number].message].plan.access(thread);
            line.state.line = number;
            return;
        case PrecisionProgram::What::stores:
            return store(line);
        case PrecisionProgram::What::nothing:
            return;
    }
} catch (const std::bad_alloc&) {  // this line is not checked
}

bool PrecisionCheck::isFar(const PreciseFloat& one) const noexcept { return errorOf(one) > most_; }

PreciseFloat PrecisionCheck::sourceOf(const Line& line, const Operand& operand, std::uint32_t lane) const noexcept {
    if (operand.isImmediate()) {
        const double value = operand.type == DataType::df ? std::bit_cast<double>(operand.immediate)
                                                          : floatOf(static_cast<std::uint32_t>(operand.immediate));
        return {std::bit_cast<std::uint32_t>(static_cast<float>(value)), isa::kNoLine, value};
    }
    const std::uint32_t place = placeFor(operand) + isa::elementOf(operand, lane) * byteSize(operand.type);
    if (operand.type == DataType::df) {
        const auto value = line.thread.at<double>(place);
        return {std::bit_cast<std::uint32_t>(static_cast<float>(value)), isa::kNoLine, modified(operand, value)};
    }
    PreciseFloat known = line.at(place);
    known.value = modified(operand, known.value);
    known.bits = std::bit_cast<std::uint32_t>(static_cast<float>(modified(operand, floatOf(known.bits))));
    return known;
}

/// The results in double precision; the float ones are known at the next line.
void PrecisionCheck::compute(const Line& line) {
    const Instruction& in = line.thread.program->instruction(line.number);
    ThreadState& state = line.state;
    state.lanes = isa::lanesOf(line.thread, line.number);
    if (in.opcode == Opcode::sel) state.lanes = isa::enabledLanes(line.thread, isa::laneMaskOf(in));
    state.line = line.number;
    const std::uint32_t chosen = in.opcode == Opcode::sel && in.predicate != zetl::isa::xe::Predicate::none
                                     ? isa::predicateLanes(line.thread, isa::laneMaskOf(in))
                                     : 0;
    for (std::uint32_t lanes = state.lanes; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
        std::array<PreciseFloat, 3> from{};
        for (std::uint32_t i = 0; i < in.sources; ++i) from[i] = sourceOf(line, in.source[i], lane);
        PreciseFloat& result = state.results[lane];
        result = {};
        for (const PreciseFloat& one : from)
            if (result.born == isa::kNoLine) result.born = one.born;
        const double a = from[0].value;
        const double b = from[1].value;
        if (in.opcode == Opcode::add) result.value = a + b;
        if (in.opcode == Opcode::mul) result.value = a * b;
        if (in.opcode == Opcode::mad) result.value = a + b * from[2].value;
        if (in.opcode == Opcode::math) result.value = *functionOf(in.function, a, b);
        if (in.opcode == Opcode::mov) result.value = a;
        if (in.opcode == Opcode::sel) {
            const bool first = in.predicate != zetl::isa::xe::Predicate::none
                                   ? (chosen >> lane & 1) != 0
                                   : (in.condition == zetl::isa::xe::Condition::less) ==
                                         (floatOf(from[0].bits) < floatOf(from[1].bits));
            result = from[first ? 0 : 1];
        }
        if (in.saturate) result.value = std::clamp(result.value, 0.0, 1.0);
    }
}

void PrecisionCheck::settle(const Line& line) {
    ThreadState& state = line.state;
    const PrecisionProgram::Line& before = line.program.lines[state.line];
    if (before.what == PrecisionProgram::What::loads) return loaded(line, line.program.messages[before.message]);
    const Instruction& in = line.thread.program->instruction(state.line);
    const std::uint32_t stride = std::max<std::uint32_t>(in.destination.horizontal, 1);
    for (std::uint32_t lanes = state.lanes; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
        const std::uint32_t place = placeFor(in.destination) + lane * stride * kFloatBytes;
        if (place / kFloatBytes >= state.registers.size()) return;
        PreciseFloat result = state.results[lane];
        result.bits = line.bitsAt(place);
        if (!isFar(result))
            result.born = isa::kNoLine;
        else if (result.born == isa::kNoLine)
            result.born = state.line;
        state.registers[place / kFloatBytes] = result;
    }
}

std::uint64_t PrecisionCheck::keyOf(const Line& line, isa::MemorySpace space, std::uint64_t address) noexcept {
    if (space == isa::MemorySpace::global) return address;
    constexpr std::uint64_t kSpread = 0x9e37'79b9'7f4a'7c15;
    const std::uint64_t group = (line.group.dispatch().id() * kSpread ^ line.groupNumber()) * kSpread;
    return (group & ~isa::kLocalOffsetMask) | 1u | (address & isa::kLocalOffsetMask);
}

/// Calls f(place in registers, address, lane) for each float of a message.
template <class F>
void PrecisionCheck::eachStored(const Line& line, const PrecisionProgram::Message& message,
                                const isa::MemoryAccess& access, F&& f) {
    for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
        for (std::uint32_t component = 0; component < message.data.components; ++component) {
            const std::uint32_t place = message.data.byLanes ? message.data.at(lane, component)
                                                             : message.data.place + component * message.data.kept;
            if (place / kFloatBytes >= line.state.registers.size()) return;
            f(place, access.address[lane] + component * kFloatBytes, lane);
        }
    }
}

void PrecisionCheck::store(const Line& line) {
    const PrecisionProgram::Message& message = line.program.messages[line.program.lines[line.number].message];
    const isa::MemoryAccess access = message.plan.access(line.thread);
    const Lock guard(storing_);
    eachStored(line, message, access,
               [&](std::uint32_t place, std::uint64_t address, std::uint32_t lane) ZETL_REQUIRES(storing_) {
                   const PreciseFloat known = line.at(place);
                   const std::uint64_t key = keyOf(line, access.space, address);
                   stored_[key / kFloatBytes % kMost] = {key, known};
                   if (known.born != isa::kNoLine && access.space == isa::MemorySpace::global && isFar(known))
                       report(line, known.born, lane);
               });
}

void PrecisionCheck::loaded(const Line& line, const PrecisionProgram::Message& message) {
    const isa::MemoryAccess& access = line.state.access;
    const Lock guard(storing_);
    eachStored(line, message, access,
               [&](std::uint32_t place, std::uint64_t address, std::uint32_t) ZETL_REQUIRES(storing_) {
                   const std::uint64_t key = keyOf(line, access.space, address);
                   const Stored& stored = stored_[key / kFloatBytes % kMost];
                   const std::uint32_t bits = line.bitsAt(place);
                   PreciseFloat known{bits, isa::kNoLine, floatOf(bits)};
                   if (stored.key == key && stored.precise.bits == bits) known = stored.precise;
                   if (access.space == isa::MemorySpace::global) known.born = isa::kNoLine;  // told by who stored it
                   line.state.registers[place / kFloatBytes] = known;
               });
}

void PrecisionCheck::report(const Line& line, isa::Line born, std::uint32_t lane) {
    Observation observation;
    observation.kind = Kind::precision;
    observation.launch = line.group.dispatch().id();
    observation.program = line.context.loaded;
    observation.now = {zetl::check::Access::none, born, line.context.index, line.groupNumber(),
                       static_cast<std::int8_t>(lane)};
    observation.bytes = kFloatBytes;
    observations_.add(observation);
}

std::vector<zetl::check::Finding> PrecisionCheck::take(const machine::Dispatch& dispatch, const SourceOf& source) {
    std::vector<zetl::check::Finding> findings;
    for (const Observations::Seen& seen : observations_.take(dispatch.id())) {
        findings.push_back(findingOf(seen, dispatch.launch(), memory_, source));
        findings.back().message = fmt::format(
            "a float result that is stored differs from that of double precision by more than {} of it", most_);
    }
    return findings;
}

}  // namespace zetl::emulator::check
