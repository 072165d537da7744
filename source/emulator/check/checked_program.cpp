#include "emulator/check/checked_program.h"

#include <algorithm>
#include <array>
#include <set>

#include "emulator/check/element_size.h"
#include "emulator/check/exchanged_loads.h"
#include "isa/xe/legacy_message.h"
#include "isa/xe/lsc_descriptor.h"
#include "isa/xe/opcodes.h"

namespace zetl::emulator::check {
namespace {

CheckedLine lineOf(const isa::Instruction& in) {
    CheckedLine line;
    line.access = isa::AccessPlan::of(in);
    if (in.opcode != isa::Opcode::send && in.opcode != isa::Opcode::sendc) return line;
    line.synchronization = zetl::isa::xe::synchronizationOf(in);
    const zetl::isa::xe::Message message = zetl::isa::xe::modernForm(in).message;
    line.fencesLocal = message.function == zetl::isa::xe::SharedFunction::slm;
    line.withinGroup = zetl::isa::xe::lsc::Descriptor(message).withinGroup();
    return line;
}

/// Whole dwords of local memory, by lanes. An atomic operation's load leaves another mark than a read.
bool isLocalRead(const CheckedLine& line) {
    constexpr std::uint32_t kDword = 4;
    const isa::AccessShape& shape = line.access->shape;
    const bool byLanes = !shape.block && !shape.strided && !shape.block2d;
    return shape.space == isa::MemorySpace::local && byLanes && !shape.write && !line.ofExchange &&
           shape.bytes % kDword == 0 && line.elementBytes <= kDword;
}

/// To a place that is not among these instructions, or may not be.
bool branchesOut(const isa::Program& program, isa::Line line, std::uint32_t first, std::uint32_t last) {
    const isa::Instruction& in = program.instruction(line);
    const auto* const known = zetl::isa::xe::findOpcode(static_cast<std::uint8_t>(in.opcode));
    if (known == nullptr || known->format != zetl::isa::xe::Format::branch) return false;
    if (in.targetInRegister) return true;
    return std::ranges::any_of(std::array{in.jip, in.uip}, [&](std::int32_t distance) {
        const std::uint32_t target = in.ip + static_cast<std::uint32_t>(distance);
        return target < first || target > last;
    });
}

}  // namespace

CheckedProgram::CheckedProgram(const isa::Program& program) {
    const Pointers pointers = pointersOf(program);
    const std::vector<std::uint32_t> crossed = lanesCrossedBy(program);
    const std::vector<std::optional<Shuffle>> shuffles = shufflesOf(program);
    const std::vector<bool> exchanged = exchangedLoadsOf(program);
    bool calls = false;
    for (isa::Line line = 0; line < program.lineCount() && !calls; ++line) {
        const isa::Opcode opcode = program.instruction(line).opcode;
        calls = opcode == isa::Opcode::call || opcode == isa::Opcode::calla;
    }
    std::uint32_t messages = 0;
    lines.reserve(program.lineCount());
    for (isa::Line line = 0; line < program.lineCount(); ++line) {
        lines.push_back(lineOf(program.instruction(line)));
        lines.back().message = messages;
        messages += lines.back().access ? 1 : 0;
        lines.back().pointer = pointers.places[line];
        lines.back().ofArguments = pointers.ofArguments[line];
        lines.back().pointerByLanes = pointers.byLanes[line];
        lines.back().lanesCrossed = crossed[line];
        lines.back().shuffle = shuffles[line];
        lines.back().elementBytes = elementSizeOf(program, line);
        lines.back().ofExchange = exchanged[line];
        lines.back().inCallingProgram = calls;
        // What is in neither memory is the thread's own, or the driver's.
        const auto& access = lines.back().access;
        const bool looksAt = access && (access->shape.space == isa::MemorySpace::global ||
                                        access->shape.space == isa::MemorySpace::local);
        const bool does = looksAt || lines.back().crossesLanes() ||
                          lines.back().synchronization != zetl::isa::xe::Synchronization::none;
        watched.push_back(does || lines.back().pointer != kUnknownPointer);
        showsArgument.push_back(!does && !access && lines.back().ofArguments);
        readsLocal.push_back(access && isLocalRead(lines.back()));
    }
    findParts(program);
}

void CheckedProgram::findParts(const isa::Program& program) {
    for (isa::Line begin = 0; begin < program.lineCount();) {
        isa::Line end = begin;
        while (end < program.lineCount() && !program.instruction(end).message.endOfThread) ++end;
        end = std::min<isa::Line>(end + 1, program.lineCount());
        std::set<std::int32_t> shown;
        bool leaves = false;
        for (isa::Line line = begin; line < end; ++line) {
            lines[line].part = static_cast<std::uint32_t>(parts.size());
            if (showsArgument[line]) shown.insert(lines[line].pointer);
            leaves |= branchesOut(program, line, program.instruction(begin).ip, program.instruction(end - 1).ip);
        }
        if (leaves) shown.clear();
        parts.emplace_back(shown.begin(), shown.end());
        begin = end;
    }
}

const CheckedProgram& CheckedPrograms::of(const machine::LoadedProgram& loaded) {
    const Lock guard(mutex_);
    Known& known = known_[&loaded];
    if (!known.checked) {
        known.keep = loaded.shared_from_this();
        known.checked = std::make_unique<const CheckedProgram>(*loaded.program);
    }
    return *known.checked;
}

}  // namespace zetl::emulator::check
