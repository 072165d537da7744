#include "emulator/translate/plan/polling_loops.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "emulator/isa/control_flow.h"
#include "emulator/translate/plan/survey.h"

namespace zetl::emulator::translate {
namespace {

using isa::Instruction;
using isa::Line;
using isa::Opcode;
using isa::SharedFunction;

bool leadsAnywhere(const Instruction& in) {
    constexpr Opcode kCalls[] = {Opcode::call, Opcode::calla, Opcode::ret};
    return isa::isBranch(in) && (in.targetInRegister || std::ranges::find(kCalls, in.opcode) != std::end(kCalls));
}

/// Whether it answers with something that another group may have written.
bool readsShared(const Instruction& in) {
    constexpr SharedFunction kOwn[] = {SharedFunction::null, SharedFunction::slm, SharedFunction::gateway,
                                       SharedFunction::threadSpawner};
    return isa::isSend(in.opcode) && !in.destination.isNull() &&
           std::ranges::find(kOwn, in.message.function) == std::end(kOwn);
}

/// Lines from one on, up to the one before the end.
struct Span {
    Line begin;
    Line end;
};

/// The lines from the farthest that a branch leads back to up to the branch itself; none if it leads only forward.
Span spanOf(const isa::Program::Code& code, Line line) {
    const Instruction& in = code.instructions[line];
    Span span{line + 1, line + 1};
    for (const std::int32_t distance : std::array{in.jip, in.uip}) {
        const Line target = code.find(in.ip + static_cast<std::uint32_t>(distance));
        if (distance < 0 && target != isa::kNoLine) span.begin = std::min(span.begin, target);
    }
    return span;
}

}  // namespace

// Of the lines of any loop, each lies between a branch backward and its target: from the loop's last line to its first,
// threads come only by such branches.
bool mayPoll(const isa::Program::Code& code, Line entry) {
    const Survey survey = surveyFrom(code, entry);
    std::vector<bool> looped(code.lines() + 1);
    for (const Line line : survey.lines) {
        if (line == code.lines()) continue;
        const Instruction& in = code.instructions[line];
        if (leadsAnywhere(in)) return true;
        if (!isa::isBranch(in)) continue;
        const Span span = spanOf(code, line);
        std::fill(looped.begin() + span.begin, looped.begin() + span.end, true);
    }
    return std::ranges::any_of(survey.lines,
                               [&](Line line) { return looped[line] && readsShared(code.instructions[line]); });
}

}  // namespace zetl::emulator::translate
