// The timing model's view of a program: for each line, what it occupies, what it waits for and what may follow it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/observe.h"
#include "emulator/machine/code/issue_plan.h"
#include "emulator/machine/code/loaded_program.h"
#include "emulator/machine/timing.h"
#include "isa/xe/scoreboard.h"

namespace zetl::emulator::machine {

struct LineSchedule {
    using Kind = LineKind;
    Kind kind = Kind::other;
    Port port = Port::other;
    std::uint8_t slots = 1;  ///< cycles for which it occupies its port
    bool leader = false;     ///< control may come here from other places than the line before
    bool leaves = false;     ///< control may go to other places than the next line
    bool wide = false;       ///< a message of 32 lanes
    bool inOrder = false;    ///< finishes in the order of `pipe`
    isa::InOrderPipe pipe = isa::InOrderPipe::integer;
    isa::Scoreboard waits;
    /// Accumulators and flags, one bit each: the hardware itself makes readers wait for them, without the scoreboard.
    std::uint16_t reads = 0;
    std::uint16_t writes = 0;
    std::uint32_t latency = 0;   ///< of arithmetic and branches, from issue
    std::uint32_t tokens = ~0u;  ///< of awaitRead and awaitWritten, one bit each
};

struct Schedule {
    Schedule(const LoadedProgram& program, const TimingModel& timing);

    const LoadedProgram& program;
    std::vector<LineSchedule> lines;
    std::vector<IssuePlan> plans;                             ///< by line
    std::vector<std::optional<isa::AccessPlan>> accessPlans;  ///< by line; none if registers are needed to know

    /// Whether a trace has to record that the line is executed, besides its access.
    bool reports(isa::Line line) const noexcept { return lines[line].leader; }
    bool accesses(isa::Line line) const noexcept { return lines[line].kind == LineSchedule::Kind::memory; }
};

}  // namespace zetl::emulator::machine
