#include "emulator/check/checked_program.h"

#include "emulator/check/element_size.h"
#include "isa/xe/legacy_message.h"
#include "isa/xe/lsc_descriptor.h"

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

}  // namespace

CheckedProgram::CheckedProgram(const isa::Program& program) {
    const std::vector<std::int32_t> pointers = pointersOf(program);
    const std::vector<std::uint32_t> crossed = lanesCrossedBy(program);
    const std::vector<std::optional<Shuffle>> shuffles = shufflesOf(program);
    bool calls = false;
    for (isa::Line line = 0; line < program.lineCount() && !calls; ++line) {
        const isa::Opcode opcode = program.instruction(line).opcode;
        calls = opcode == isa::Opcode::call || opcode == isa::Opcode::calla;
    }
    lines.reserve(program.lineCount());
    for (isa::Line line = 0; line < program.lineCount(); ++line) {
        lines.push_back(lineOf(program.instruction(line)));
        lines.back().pointer = pointers[line];
        lines.back().lanesCrossed = crossed[line];
        lines.back().shuffle = shuffles[line];
        lines.back().elementBytes = elementSizeOf(program, line);
        lines.back().inCallingProgram = calls;
        // What is in neither memory is the thread's own, or the driver's.
        const auto& access = lines.back().access;
        const bool looksAt = access && (access->shape.space == isa::MemorySpace::global ||
                                        access->shape.space == isa::MemorySpace::local);
        watched.push_back(looksAt || pointers[line] != kUnknownPointer || lines.back().crossesLanes() ||
                          lines.back().synchronization != zetl::isa::xe::Synchronization::none);
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
