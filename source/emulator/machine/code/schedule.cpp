#include "emulator/machine/code/schedule.h"

#include <algorithm>

#include "emulator/isa/register_descriptor.h"
#include "isa/xe/access_shape.h"

namespace zetl::emulator::machine {
namespace {

using isa::ArchitectureRegister;
using isa::Instruction;
using isa::Opcode;
using Kind = LineSchedule::Kind;

// functions of sync
constexpr std::uint8_t kAllRead = 2;
constexpr std::uint8_t kAllWritten = 3;
constexpr std::uint8_t kBarrier = 14;

Kind messageKind(const Instruction& in) noexcept {
    switch (isa::synchronizationOf(in)) {
        case isa::Synchronization::fence:
            return Kind::fence;
        case isa::Synchronization::barrier:
            return Kind::barrierSignal;
        default:
            // A descriptor in a register may turn out to be an access.
            return in.message.descriptorInRegister || isa::accessShapeOf(in) ? Kind::memory : Kind::otherMessage;
    }
}

Kind syncKind(const Instruction& in) noexcept {
    switch (in.function) {
        case kAllRead:
            return Kind::awaitRead;
        case kAllWritten:
            return Kind::awaitWritten;
        case kBarrier:
            return Kind::barrierWait;
        default:
            return Kind::other;
    }
}

Port portOf(const LineInfo& info) noexcept {
    switch (info.pipe) {
        case Counter::floatInstructions:
            return Port::real;
        case Counter::integerInstructions:
            return Port::integer;
        case Counter::mathInstructions:
            return Port::math;
        case Counter::matrixInstructions:
            return Port::matrix;
        case Counter::sendInstructions:
            return Port::message;
        case Counter::controlInstructions:
            return Port::control;
        default:
            return Port::other;
    }
}

/// Flags and address registers take longer than the register file that they are not in.
bool writesArchitecture(const Instruction& in) noexcept {
    const isa::Operand& d = in.destination;
    return in.condition != isa::Condition::none || d.isArf(ArchitectureRegister::address) ||
           d.isArf(ArchitectureRegister::flag);
}

std::uint16_t watched(const isa::Operand& operand) noexcept {
    if (!operand.isAccumulator()) return 0;
    return static_cast<std::uint16_t>(1u << (operand.number % kAccumulators));
}

std::uint16_t watchedFlag(const Instruction& in) noexcept {
    return static_cast<std::uint16_t>(1u << (kAccumulators + (in.flag >> 1 & 3)));
}

void findWatched(const Instruction& in, LineSchedule& line) noexcept {
    for (const isa::Operand& source : in.source) line.reads |= watched(source);
    // The high half of a product starts from the accumulator that holds the low one.
    if (in.opcode == Opcode::macl || in.opcode == Opcode::mach || in.opcode == Opcode::mac) line.reads |= 1;
    line.writes = watched(in.destination);
    if (in.predicate != isa::Predicate::none) line.reads |= watchedFlag(in);
    const bool selects = in.opcode == Opcode::sel || in.opcode == Opcode::csel;
    if (in.condition != isa::Condition::none && !selects) line.writes |= watchedFlag(in);
}

std::uint32_t latencyOf(const Instruction& in, const LineSchedule& line, const TimingModel& timing) noexcept {
    if (line.port == Port::matrix) return timing.systolic + std::max<std::uint32_t>(in.repeatCount, 1) - 1;
    if (line.port == Port::math) return timing.extendedMath + line.slots - 1;
    std::uint32_t result = timing.arithmetic;
    if (in.destination.isAccumulator()) result = timing.accumulator;
    if (writesArchitecture(in)) result = timing.registerFile;
    return result + line.slots - 1;
}

bool joins(Opcode opcode) noexcept { return opcode == Opcode::join || opcode == Opcode::endif; }

LineSchedule scheduleOf(const Instruction& in, const LineInfo& info, const TimingModel& timing) {
    const isa::OpcodeInfo* opcode = isa::findOpcode(static_cast<std::uint8_t>(in.opcode));
    LineSchedule line;
    line.slots = info.issueSlots;
    line.port = portOf(info);
    line.waits = isa::scoreboardOf(in);
    line.leaves = in.opcode == Opcode::illegal;
    if (opcode == nullptr || line.leaves) return line;
    findWatched(in, line);
    switch (opcode->format) {
        case isa::Format::control:
            break;
        case isa::Format::sync:
            line.kind = syncKind(in);
            if (in.source[0].isImmediate()) line.tokens = static_cast<std::uint32_t>(in.source[0].immediate);
            break;
        case isa::Format::branch:
            line.kind = Kind::branch;
            line.leaves = true;
            line.latency = joins(in.opcode) ? 1 : timing.branch;
            break;
        case isa::Format::send:
            line.kind = messageKind(in);
            line.leaves = in.message.endOfThread;
            line.wide = in.width == 32;
            break;
        default:
            line.kind = Kind::arithmetic;
            line.latency = latencyOf(in, line, timing);
            // What sets a token may finish in any order.
            line.inOrder = line.waits.token != isa::Scoreboard::Token::set && line.port != Port::matrix;
            line.pipe = isa::pipeOf(in);
    }
    return line;
}

/// Where branches of known distance lead.
void markTargets(const isa::Program& program, std::vector<LineSchedule>& lines) {
    for (isa::Line line = 0; line < lines.size(); ++line) {
        if (lines[line].kind != Kind::branch) continue;
        const Instruction& in = program.instruction(line);
        for (const std::int32_t distance : {in.jip, in.uip}) {
            const isa::Line target = program.lineAt(in.ip + static_cast<std::uint32_t>(distance));
            if (target != isa::kNoLine) lines[target].leader = true;
        }
    }
}

}  // namespace

Schedule::Schedule(const LoadedProgram& loaded, const TimingModel& timing) : program(loaded) {
    const isa::Program& code = *loaded.program;
    lines.reserve(code.lineCount());
    for (isa::Line line = 0; line < code.lineCount(); ++line)
        lines.push_back(scheduleOf(code.instruction(line), loaded.lines[line], timing));
    for (isa::Line line = 0; line < code.lineCount(); ++line) {
        const Instruction& in = code.instruction(line);
        const bool known = accesses(line) && !isa::isDeferred(in.message);
        accessPlans.push_back(known ? isa::AccessPlan::of(in) : std::nullopt);
    }
    markTargets(code, lines);
    // Functions that are called by address begin behind what never goes on: padding, returns, ends of threads.
    for (std::size_t line = 0; line < lines.size(); ++line)
        if (line == 0 || lines[line - 1].leaves) lines[line].leader = true;
    plans.reserve(lines.size());
    for (std::size_t line = 0; line < lines.size(); ++line)
        plans.push_back(planOf(lines[line], line + 1 < lines.size() ? &lines[line + 1] : nullptr));
}

}  // namespace zetl::emulator::machine
