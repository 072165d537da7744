#include "emulator/check/init_program.h"

#include <algorithm>
#include <bit>

#include "emulator/check/register_bytes.h"
#include "emulator/isa/register_descriptor.h"
#include "emulator/isa/register_use.h"
#include "isa/xe/atomic_operation.h"
#include "isa/xe/legacy_message.h"

namespace zetl::emulator::check {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using zetl::isa::xe::lsc::Descriptor;

constexpr std::uint32_t kDenseLanes = 16;  // of a component of a message's data, at least

bool isBranch(const Instruction& in) noexcept {
    constexpr Opcode kBranches[] = {Opcode::jmpi,         Opcode::branchIf, Opcode::branchWhile, Opcode::breakLoop,
                                    Opcode::continueLoop, Opcode::halt,     Opcode::jumpTo};
    return std::ranges::find(kBranches, in.opcode) != std::end(kBranches);
}

void addOperand(UsedBytes& used, const Operand& operand, std::uint32_t lanes, std::uint32_t stride) {
    const bool accumulator = operand.isAccumulator();
    if (operand.isArf(zetl::isa::xe::ArchitectureRegister::flag)) return used.addFlags();
    if ((!operand.isGrf() && !accumulator) || operand.isIndirect()) return;
    const std::uint32_t size = byteSize(operand.type);
    const std::uint32_t place = (accumulator ? isa::layout::kAccumulator : isa::layout::kGrf) + isa::placeOf(operand);
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
        used.addBytes(place + (stride != 0 ? lane * stride : isa::elementOf(operand, lane)) * size, size);
}

UsedBytes readByLanes(const Instruction& in) {
    UsedBytes used;
    for (std::uint32_t i = 0; i < in.sources; ++i) addOperand(used, in.source[i], lanesOf(in), 0);
    const bool conditional = in.condition != zetl::isa::xe::Condition::none;
    if (conditional || in.predicate != zetl::isa::xe::Predicate::none) used.addFlags();
    return used;
}

using zetl::isa::xe::AtomicOperation;

std::optional<AtomicOperation> atomicOf(const Instruction& in) {
    if (const auto older = zetl::isa::xe::untypedAtomicOf(in.message)) return older->operation;
    const Descriptor descriptor(in.message);
    return descriptor.atomic() ? std::optional(static_cast<AtomicOperation>(descriptor.op)) : std::nullopt;
}

}  // namespace

MessageData::MessageData(const Instruction& in) {
    const Descriptor descriptor(zetl::isa::xe::modernForm(in).message);
    const Operand& data = descriptor.stores() ? in.source[1] : in.destination;
    place = data.number * isa::layout::kRegisterBytes;
    components = descriptor.quad() ? static_cast<std::uint32_t>(std::popcount(unsigned{descriptor.components}))
                                   : descriptor.vectorLength();
    bytes = descriptor.memoryBytes();
    kept = descriptor.registerBytes();
    componentBytes = std::max<std::uint32_t>(in.width, kDenseLanes) * kept;
    transposed = descriptor.transposed;
    byLanes = !transposed && !descriptor.block2d() && !descriptor.quad();
    known = !descriptor.block2d() && !descriptor.quad();
}

void InitProgram::reads(std::uint32_t place, std::uint32_t bytes) {
    const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(std::size_t{place} + bytes, readBytes.size()));
    for (std::uint32_t at = place; at < end; ++at) readBytes[at] = true;
}

void InitProgram::readsByLanes(const Instruction& in) {
    for (std::uint32_t i = 0; i < in.sources; ++i) {
        const Operand& operand = in.source[i];
        if (!operand.isGrf() && !operand.isAccumulator()) continue;
        if (operand.isIndirect()) return reads(0, static_cast<std::uint32_t>(readBytes.size()));
        const std::uint32_t size = byteSize(operand.type);
        const std::uint32_t place =
            (operand.isAccumulator() ? isa::layout::kAccumulator : isa::layout::kGrf) + isa::placeOf(operand);
        for (std::uint32_t lane = 0; lane < lanesOf(in); ++lane)
            reads(place + isa::elementOf(operand, lane) * size, size);
    }
}

std::vector<isa::StateSlots::Run> InitProgram::readOf(const isa::StateSlots& slots) const {
    std::vector<isa::StateSlots::Run> runs;
    slots.eachRun([&](const isa::StateSlots::Run& run) {
        for (std::uint32_t at = run.place; at < run.place + run.bytes && at < readBytes.size(); ++at) {
            if (!readBytes[at]) continue;
            if (runs.empty() || runs.back().place + runs.back().bytes != at) runs.push_back({at, 0});
            ++runs.back().bytes;
        }
    });
    return runs;
}

InitProgram::InitProgram(const isa::Program& program)
    : lines(program.lineCount()), readBytes(isa::layout::kGrfBytes + isa::layout::kAccumulatorBytes) {
    static_assert(isa::layout::kGrf == 0 && isa::layout::kAccumulator == isa::layout::kGrfBytes);
    for (isa::Line number = 0; number < lines.size(); ++number) {
        const Instruction& in = program.instruction(number);
        Line& line = lines[number];
        if (in.opcode == Opcode::send || in.opcode == Opcode::sendc) {
            line.what = What::sends;
            line.message = static_cast<std::uint32_t>(messages.size());
            Message message{.plan = isa::isDeferred(in.message) ? std::nullopt : isa::AccessPlan::of(in),
                            .data = MessageData(in)};
            message.destination = in.destination.number * isa::layout::kRegisterBytes;
            const std::uint32_t most = isa::messageDataBytes(in);
            const bool isAtomic = message.plan && message.plan->shape.atomic;
            const std::uint32_t dataBytes = message.plan && !isAtomic ? message.data.registerBytes(most) : most;
            if (in.destination.isGrf()) message.destinationBytes = dataBytes;
            line.used.addBytes(message.destination, message.destinationBytes);
            if (isAtomic) {
                const std::optional<AtomicOperation> operation = atomicOf(in);
                message.mixes =
                    operation && *operation != AtomicOperation::load && *operation != AtomicOperation::exchange;
                if (message.mixes && hasOperands(*operation) && in.source[1].isGrf())
                    message.operand = static_cast<std::int32_t>(in.source[1].number * isa::layout::kRegisterBytes);
                if (message.operand >= 0)
                    line.used.addBytes(static_cast<std::uint32_t>(message.operand),
                                       std::max<std::uint32_t>(in.width, 1) * sizeof(std::uint64_t));
                if (message.operand >= 0) reads(static_cast<std::uint32_t>(message.operand), isa::kManyRegisterBytes);
            }
            if (message.plan) {
                const isa::AccessPlan& plan = *message.plan;
                line.used.addBytes(message.data.place, dataBytes);
                line.used.addBytes(plan.payload + plan.shape.addressAt,
                                   std::max<std::uint32_t>(in.width, 1) * plan.shape.addressBytes);
                if (plan.shape.write && !isAtomic)
                    reads(message.data.place, message.data.registerBytes(isa::kManyRegisterBytes));
                reads(plan.payload + plan.shape.addressAt, kMostLanes * plan.shape.addressBytes);
                if (plan.numbers >= 0) {
                    line.used.addAll();
                    reads(0, static_cast<std::uint32_t>(readBytes.size()));
                }
            }
            messages.push_back(message);
        } else if (isBranch(in)) {
            if (in.predicate == zetl::isa::xe::Predicate::none) continue;
            line.what = What::branches;
            line.used.add(RegisterSet::kFlags);
        } else if (isa::computesByLanes(in) || in.opcode == Opcode::math) {
            line.what = What::computes;
            line.read = readByLanes(in);
            readsByLanes(in);
            line.anywhere = in.destination.isIndirect() ||
                            std::ranges::any_of(in.source, [](const Operand& one) { return one.isIndirect(); });
            addOperand(line.written, in.destination, lanesOf(in),
                       std::max<std::uint32_t>(in.destination.horizontal, 1));
            line.read.addTo(line.used);
            line.written.addTo(line.used);
        } else if (in.destination.isGrf() && !in.destination.isIndirect()) {  // products of matrices, and the like
            line.what = What::defines;
            line.used.addBytes(isa::placeOf(in.destination), isa::kManyRegisterBytes);
        }
    }
    for (isa::Line begin = 0; begin < lines.size();) {
        isa::Line end = begin;
        while (end < lines.size() && !program.instruction(end).message.endOfThread) ++end;
        findTaken(program, begin, end);
        begin = end + 1;
    }
}

/// A thread loads its local ids first, in blocks, and reads them as numbers of 16 bits.
void InitProgram::findTaken(const isa::Program& program, isa::Line begin, isa::Line end) {
    constexpr isa::Line kNear = 16;
    constexpr std::uint32_t kFirst = isa::layout::kRegisterBytes;  // r0 is the thread's header
    for (isa::Line load = begin; load < std::min(begin + kNear, end); ++load) {
        if (lines[load].what != What::sends || !program.instruction(load).destination.isGrf()) continue;
        const Message& message = messages[lines[load].message];
        const bool block = message.plan && message.plan->shape.block && !message.plan->shape.write;
        if (!block || message.destination != kFirst) continue;
        const std::uint32_t last = message.destination + message.destinationBytes;
        std::vector<bool> asIds(last);
        std::vector<bool> asNumbers(last);
        std::vector<bool> otherwise(last);
        const auto mark = [last](std::vector<bool>& bytes, std::uint32_t place, std::uint32_t count) {
            for (std::uint32_t i = place; i < std::min(place + count, last); ++i) bytes[i] = true;
        };
        const auto isTaking = [](const Instruction& in) {
            return in.opcode == Opcode::mov && in.width == 1 && in.source[0].isGrf() && !in.source[0].isIndirect() &&
                   in.destination.isGrf() && !in.destination.isIndirect() &&
                   byteSize(in.source[0].type) == sizeof(std::uint32_t) &&
                   byteSize(in.destination.type) == sizeof(std::uint32_t);
        };
        for (isa::Line line = load + 1; line < end; ++line) {
            const Instruction& in = program.instruction(line);
            const bool sends = lines[line].what == What::sends;
            for (std::uint32_t i = 0; i < (sends ? 2u : in.sources); ++i) {
                const Operand& from = in.source[i];
                if (!from.isGrf() || from.isIndirect()) continue;
                const std::uint32_t size = byteSize(from.type);
                const bool ids = !sends && lanesOf(in) >= 8 && size == sizeof(std::uint16_t);
                mark(isTaking(in) ? asNumbers
                     : ids        ? asIds
                                  : otherwise,
                     isa::placeOf(from),
                     sends ? isa::kManyRegisterBytes : (isa::elementOf(from, lanesOf(in) - 1) + 1) * size);
            }
            const Operand& to = in.destination;
            if (to.isGrf() && to.isIndirect()) return;
            const bool plain = isa::computesByLanes(in) || in.opcode == Opcode::math;
            if (to.isGrf())
                mark(otherwise, isa::placeOf(to),
                     plain ? std::max<std::uint32_t>(to.horizontal, 1) * lanesOf(in) * byteSize(to.type)
                           : isa::kManyRegisterBytes);
        }
        if (!asIds[kFirst] || otherwise[kFirst]) return;
        for (isa::Line line = load + 1; line < end; ++line) {
            const Instruction& in = program.instruction(line);
            if (!isTaking(in)) continue;
            const std::uint32_t place = isa::placeOf(in.source[0]);
            bool taken = place >= kFirst && place + sizeof(std::uint32_t) <= last;
            for (std::uint32_t i = place; taken && i < place + sizeof(std::uint32_t); ++i)
                taken = asNumbers[i] && !asIds[i] && !otherwise[i];
            lines[line].takesUnwritten = taken;
        }
        return;
    }
}

const InitProgram& InitPrograms::of(const machine::LoadedProgram& loaded) {
    const Lock guard(mutex_);
    Known& known = known_[&loaded];
    if (!known.program) {
        known.keep = loaded.shared_from_this();
        known.program = std::make_unique<const InitProgram>(*loaded.program);
    }
    return *known.program;
}

}  // namespace zetl::emulator::check
