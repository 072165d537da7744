// Programs become host code: what threads of a launch can reach, from the steps that lowering made of it.
//
// A translated program computes what its steps compute, bit for bit, and counts what they count. Steps that translation
// does not know are called; faults are raised by steps; a thread may change between the two at every step. Watched
// programs run by their steps (isa/code.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/isa/observe.h"
#include "emulator/isa/step.h"

namespace zetl::emulator::translate {

/// Why programs are not translated in this process, empty if they are: ZETL_EMULATOR_TRANSLATE=0, the processor, the
/// build, or a host that lets nobody execute what was written. Thread-safe.
const std::string& obstacle();
/// The same without what the setting asks for.
const std::string& hostObstacle();

/// When a kernel becomes host code.
enum class Policy : std::uint8_t {
    whenItPays,    ///< its threads have executed, or are about to execute, as much by steps as translating it costs
    whenLaunched,  ///< before its first thread starts: ZETL_EMULATOR_TRANSLATE=1 or home
};
/// What the setting asks for. Thread-safe.
Policy policy();
/// Executions by steps, of each line on the average, that take as long as its translation for this host.
std::uint32_t executionsThatPay();
/// Lines that would be translated for threads that start at `ip`: what they can reach.
std::uint32_t linesFrom(const isa::Program& program, std::uint32_t ip);

/// Where registers of the thread are between two steps.
enum class Registers : std::uint8_t {
    held,     ///< in the host's, as long as a block lasts
    home,     ///< in the thread: slower, and shows what holding them does wrong
    dropped,  ///< held, and lost when the thread ends
};

/// Groups that follow each other in the first dimension, at least one.
struct GroupWork {
    std::uint32_t first = 0;    ///< thread of the first group
    std::uint32_t threads = 0;  ///< of each group
    std::uint32_t groups = 1;
    std::uint32_t partial = 0;  ///< threads at the end of each that are left out, as some of their lanes are off
};

/// Host code for threads of groups, one after the other in one state, of a kernel that runs straight through.
struct GroupCode {
    /// Threads of those groups, each with its index and their number in r0.2 as Intel's compiler expects it, all lanes
    /// on. The state is as place() and a cleared cr0.0 leave it for the first group; afterwards r0.1 is of the last one
    /// that was begun, and registers of which nobody knows what threads start with hold anything. Runs and traffic are
    /// counted. Leaves in `work` which groups were not done, from which thread on: that has had no effect, and begins
    /// by the program's steps.
    using Run = void (*)(isa::Thread& thread, GroupWork& work);
    Run run = nullptr;
    isa::Handler entered = nullptr;  ///< of the first step, while threads may enter host code
    std::uint32_t work = 0;          ///< what a thread takes of its quantum
    bool setsMode = false;           ///< cr0.0 is written, or nobody depends on it; else the caller sets the mode
    bool linear = false;             ///< addresses are single numbers where ids of work-items run on
    isa::StateSlots written;
    std::shared_ptr<const void> owner;
};

/// What became of the lines that a launch can reach, in all versions together.
struct Report {
    std::uint32_t lines = 0;
    std::uint32_t native = 0;  ///< steps that are host code
    std::uint32_t called = 0;  ///< steps that are called
    std::uint64_t codeBytes = 0;
    isa::Handler entered = nullptr;          ///< of the first step, for threads with all lanes on
    std::shared_ptr<const GroupCode> group;  ///< null if there is none
    std::vector<bool> reached;               ///< by line
    std::vector<bool> calling;               ///< by line: a step of it is called, in any version
    isa::StateSlots written;  ///< by a thread that starts and ends in host code and does not stray (isa::start())
};

/// Translates what is reached from the instruction at `ip`, for threads of that many lanes, and lets threads enter it.
/// Nothing happens if there is an obstacle, or the host has no memory for it: the steps serve. `kernel`: what profilers
/// of the host shall call it (perf_map.h). Registers are dropped, or at home with ZETL_EMULATOR_TRANSLATE=home.
/// Thread-safe.
Report translate(isa::Program& program, std::uint32_t ip, std::uint32_t lanes, const std::string& kernel = {});

/// The same for code that tells an observer of lines before it executes them; threads of a group do not run together.
Report translateReporting(isa::Program& program, std::uint32_t ip, std::uint32_t lanes, const isa::Reported& reported,
                          const std::string& kernel = {});

/// The same whatever obstacle() says of the setting; for tests.
Report translateAnyway(isa::Program& program, std::uint32_t ip, std::uint32_t lanes,
                       Registers registers = Registers::held, const isa::Reported* reported = nullptr);

/// Makes the code, throws it away and says what it would be: on any host and in any build, for tests of translation
/// itself.
Report translateInVain(isa::Program& program, std::uint32_t ip, std::uint32_t lanes);

}  // namespace zetl::emulator::translate
