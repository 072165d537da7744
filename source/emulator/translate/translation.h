// Translates programs to host code: the code that threads of a launch can reach, from the steps that lowering made.
//
// A translated program computes what its steps compute, bit for bit, and has the same counts. Steps that translation
// does not know are called; steps raise faults; a thread may change between the two at every step. Watched programs run
// by their steps (isa/code.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/isa/observe.h"
#include "emulator/isa/step.h"
#include "emulator/translate/group/group_work.h"
#include "emulator/translate/held/registers.h"

namespace zetl::emulator::translate {

/// The reason why programs are not translated in this process; empty if they are. It is ZETL_EMULATOR_TRANSLATE=0, the
/// processor, the build, or a host that lets no process execute memory that was written. Thread-safe.
const std::string& obstacle();
/// The same, regardless of the setting.
const std::string& hostObstacle();

/// When a kernel is translated to host code.
enum class Policy : std::uint8_t {
    whenItPays,    ///< when its threads have executed, or will execute, as much by steps as translating it costs
    whenLaunched,  ///< before its first thread starts: ZETL_EMULATOR_TRANSLATE=1 or home
};
/// The policy of the setting. Thread-safe.
Policy policy();
/// The number of executions by steps, averaged over lines, that take as long as translating a line for this host.
std::uint32_t executionsThatPay();
/// The number of lines that would be translated for threads that start at `ip`: the lines that they can reach.
std::uint32_t linesFrom(const isa::Program& program, std::uint32_t ip);
/// Whether groups whose threads start at `ip` may wait for each other; if not, each ends whatever others do.
bool mayWaitForOthers(const isa::Program& program, std::uint32_t ip);

/// Host code that runs threads of groups one after the other in one state, for a kernel that runs straight through.
struct GroupCode {
    /// Runs the threads of those groups, each with its index and their number in r0.2 as Intel's compiler expects it,
    /// with all lanes on. For the first group the state is as left by place() and a cleared cr0.0. Afterwards r0.1
    /// belongs to the last group that was begun, and registers whose initial content threads do not read hold anything.
    /// Runs and traffic are counted. Sets `work` to the groups that were not done, and to the thread from which on:
    /// that thread has had no effect, and begins by the program's steps.
    using Run = void (*)(isa::Thread& thread, GroupWork& work);
    Run run = nullptr;
    isa::Handler entered = nullptr;  ///< of the first step, while threads may enter host code
    std::uint32_t work = 0;          ///< what a thread takes of its quantum
    bool setsMode = false;           ///< cr0.0 is written, or nobody depends on it; else the caller sets the mode
    bool linear = false;             ///< addresses are single numbers if ids of work-items are successive
    isa::StateSlots written;
    std::shared_ptr<const void> owner;

    /// Of code whose lines are reported: the same for threads that do nothing yet but write to GroupWork::addresses
    /// where they are going to access memory, by thread and `accesses`. The state has to begin anew behind it.
    Run foresee = nullptr;
    std::vector<isa::PlannedAccess> accesses;
    std::size_t addresses = 0;                  ///< that are written of a thread
    std::vector<isa::LineObserver*> observers;  ///< they have to let threads pass before these run together
};

/// The result for the lines that a launch can reach, in all versions together.
struct Report {
    std::uint32_t lines = 0;
    std::uint32_t native = 0;  ///< steps that are host code
    std::uint32_t called = 0;  ///< steps whose handler is called
    std::uint64_t codeBytes = 0;
    isa::Handler entered = nullptr;          ///< of the first step, for threads with all lanes on
    std::shared_ptr<const GroupCode> group;  ///< null if there is none
    std::vector<bool> reached;               ///< by line
    std::vector<bool> calling;               ///< by line: the handler of one of its steps is called, in any version
    isa::StateSlots written;  ///< by threads that start and end in host code and do not stray (isa::start())
};

/// Translates the code reached from the instruction at `ip`, for threads of that many lanes, and lets threads enter it.
/// Does nothing if there is an obstacle, or if the host has no memory for it: the steps are used then. `kernel`: its
/// name for profilers of the host (perf_map.h). A thread that stops has the registers at home
/// that it may still read; all of them if debuggers can attach to this process, and with
/// ZETL_EMULATOR_TRANSLATE=home. Thread-safe.
Report translate(isa::Program& program, std::uint32_t ip, std::uint32_t lanes, const std::string& kernel = {});

/// The same for code that reports lines to observers, at least one, before it executes them; threads of a group do not
/// run together.
Report translateReporting(isa::Program& program, std::uint32_t ip, std::uint32_t lanes,
                          std::span<const isa::Reported> reported, const std::string& kernel = {});

/// The same, whatever the setting is; for tests.
Report translateAnyway(isa::Program& program, std::uint32_t ip, std::uint32_t lanes,
                       Registers registers = Registers::held, std::span<const isa::Reported> reported = {});

/// Makes the code, discards it and reports what it would be, on any host and in any build; for tests of translation
/// itself.
Report translateInVain(isa::Program& program, std::uint32_t ip, std::uint32_t lanes);

}  // namespace zetl::emulator::translate
