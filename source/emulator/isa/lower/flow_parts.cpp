#include "emulator/isa/lower/flow_parts.h"

#include <algorithm>
#include <numeric>

namespace zetl::emulator::isa {
namespace {

bool leadsByRegister(const Instruction& in) { return in.targetInRegister && in.opcode != Opcode::ret; }
bool isLastOfItsPart(const Instruction& in) {
    if (in.opcode == Opcode::jmpi) return in.predicate == Predicate::none;
    return in.opcode == Opcode::illegal || in.opcode == Opcode::ret || (isSend(in.opcode) && in.message.endOfThread);
}

}  // namespace

FlowParts::FlowParts(const Program::Code& code) : parent_(code.lines()) {
    // Any line may follow one that leads to where a register says.
    const bool isOne = std::ranges::any_of(code.instructions, leadsByRegister);
    if (!isOne) std::iota(parent_.begin(), parent_.end(), Line{0});
    for (Line line = 0; line < code.lines() && !isOne; ++line) follow(code, line);
}

void FlowParts::follow(const Program::Code& code, Line line) {
    const Instruction& in = code.instructions[line];
    if (line + 1 < code.lines() && !isLastOfItsPart(in)) join(line, line + 1);
    const OpcodeInfo* const info = findOpcode(static_cast<std::uint8_t>(in.opcode));
    if (info == nullptr || info->format != Format::branch || in.opcode == Opcode::ret) return;
    const std::uint32_t from = in.opcode == Opcode::calla ? 0 : in.ip;
    for (const std::int32_t distance : {in.jip, in.uip}) {
        const Line to = code.find(from + static_cast<std::uint32_t>(distance));
        if (to != kNoLine) join(line, to);
    }
}

void FlowParts::join(Line a, Line b) {
    a = of(a);
    b = of(b);
    parent_[std::max(a, b)] = std::min(a, b);
}

Line FlowParts::of(Line line) {
    while (parent_[line] != line) line = parent_[line] = parent_[parent_[line]];
    return line;
}

}  // namespace zetl::emulator::isa
