#include "emulator/translate/plan/survey.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "emulator/isa/control_flow.h"
#include "emulator/isa/register_descriptor.h"

namespace zetl::emulator::translate {
namespace {

using isa::Instruction;
using isa::Line;
using isa::Opcode;

/// Calls by address, so that any function of the program may be meant.
bool callsAnything(const Instruction& in) {
    return in.targetInRegister && (in.opcode == Opcode::call || in.opcode == Opcode::calla);
}
/// Lines behind these are where threads go on after a stop or a detour.
bool isInterrupted(const Instruction& in) {
    const bool meets = in.opcode == Opcode::sync && in.function == isa::sync_function::kBarrier;
    return isa::isBranch(in) || meets || (isa::isSend(in.opcode) && isa::isDeferred(in.message));
}

class Surveyor {
  public:
    Surveyor(const isa::Program::Code& code, Line entry) : code_(code) {
        survey_.entry = entry;
        survey_.reached.resize(code.lines() + 1);
        survey_.leads.resize(code.lines() + 1);
    }

    void lead(Line line) {
        survey_.leads[line] = true;
        reach(line);
    }
    Survey run() {
        while (!open_.empty()) {
            const Line line = open_.back();
            open_.pop_back();
            if (line < code_.lines()) follow(line);
        }
        for (Line line = 0; line <= code_.lines(); ++line)
            if (survey_.reached[line]) survey_.lines.push_back(line);
        return std::move(survey_);
    }

  private:
    void reach(Line line) {
        if (survey_.reached[line]) return;
        survey_.reached[line] = true;
        open_.push_back(line);
    }
    void leadAt(std::uint32_t ip) {
        const Line line = code_.find(ip);
        lead(line == isa::kNoLine ? code_.lines() : line);
    }
    void follow(Line line) {
        const Instruction& in = code_.instructions[line];
        if (isa::isBranch(in) && !in.targetInRegister) {
            const bool absolute = in.opcode == Opcode::calla;
            leadAt(static_cast<std::uint32_t>(in.jip) + (absolute ? 0 : in.ip));
            if (in.uip != 0) leadAt(in.ip + static_cast<std::uint32_t>(in.uip));
        }
        if (callsAnything(in)) leadAtFunctions();
        if (isInterrupted(in)) lead(line + 1);
        if (goesOn(in)) reach(line + 1);
    }

    /// Where a function may begin: behind what no thread goes on from.
    void leadAtFunctions() {
        if (std::exchange(functionsLead_, true)) return;
        for (Line line = 1; line < code_.lines(); ++line) {
            const Instruction& before = code_.instructions[line - 1];
            const bool ends = before.opcode == Opcode::ret || !goesOn(before);
            if (ends && code_.instructions[line].opcode != Opcode::illegal) lead(line);
        }
    }

    const isa::Program::Code& code_;
    bool functionsLead_ = false;
    Survey survey_;
    std::vector<Line> open_;
};

}  // namespace

bool goesOn(const Instruction& in) {
    const bool always = in.opcode == Opcode::jmpi && in.predicate == isa::Predicate::none;
    return !always && in.opcode != Opcode::illegal && !isa::endsThread(in);
}

bool goesAnywhere(const Instruction& in) {
    constexpr Opcode kCalls[] = {Opcode::call, Opcode::calla, Opcode::ret};
    const bool wakes = in.noMask && in.opcode != Opcode::jmpi;
    return in.targetInRegister || wakes || std::ranges::find(kCalls, in.opcode) != std::end(kCalls);
}

Survey surveyFrom(const isa::Program::Code& code, Line entry) {
    Surveyor surveyor(code, entry);
    surveyor.lead(entry);
    return surveyor.run();
}

}  // namespace zetl::emulator::translate
