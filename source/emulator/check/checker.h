// Looks at each memory message, fence and barrier of a machine's launches, and tells what is wrong with them. Threads
// run on as they would without it: by steps and as host code alike.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "check/finding.h"
#include "check/kinds.h"
#include "emulator/check/checked_program.h"
#include "emulator/check/command_records.h"
#include "emulator/check/findings.h"
#include "emulator/check/group_state.h"
#include "emulator/check/observations.h"
#include "emulator/check/planned_lanes.h"
#include "emulator/check/pointer_origins.h"
#include "emulator/check/race_check.h"
#include "emulator/check/release_clock.h"
#include "emulator/check/shadow.h"
#include "emulator/check/version.h"
#include "emulator/machine/execution/overruns.h"
#include "emulator/machine/execution/program_observers.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::machine {
class WorkGroup;
}  // namespace zetl::emulator::machine

namespace zetl::emulator::check {

/// One for a machine, as long as that lives. Thread-safe.
///
/// Launches that are of no command (Launch::command) count as ordered behind each other.
///
/// Known limits: of what several commands read, and several threads of a group with named barriers, the last reader
/// alone is known.
class Checker final : public machine::ProgramObserver, public machine::OverrunObserver {
  public:
    Checker(machine::Machine& machine, zetl::check::Groups groups);
    ~Checker() override;
    Checker(const Checker&) = delete;
    Checker& operator=(const Checker&) = delete;

    std::vector<bool> linesOf(const machine::LoadedProgram& loaded) const override;
    /// Those that show pointers of arguments, once each of a launch is known.
    std::vector<bool> idleLinesOf(const machine::LoadedProgram& loaded) const override;
    std::uint8_t idleBit() const noexcept override { return PointerOrigins::kIdle; }
    std::vector<bool> localReadsOf(const machine::LoadedProgram& loaded) const override;
    void beforeLine(isa::Thread& thread, isa::Line line) noexcept override;
    bool judgesGroups() const noexcept override { return true; }
    bool judgesLanes() const noexcept override { return looksAtAccesses(); }
    std::uint32_t passes(const isa::GroupAccesses& accesses) noexcept override;
    void failed(machine::HardwareThread& thread) noexcept override;

    /// A command begins that launches a kernel, copies, or is an access of the host. Others may run beside it.
    void begin(std::shared_ptr<CommandRecord> command);
    /// A command that is no launch accesses these bytes. Call it inside of the memory's reader.
    void transfer(const CommandRecord& command, std::uint64_t address, std::uint64_t bytes, bool write) noexcept;
    /// What was found in a command that is no launch. It has ended.
    std::vector<zetl::check::Finding> takeCommand(const CommandRecord& command);
    /// A launch that began has ended, and its findings were taken.
    void end() noexcept;

    /// What was found in a launch, or in its part on one tile, that has ended; its fault is among it.
    std::vector<zetl::check::Finding> take(const machine::Dispatch& dispatch, const SourceOf& source);
    /// How many observations were dropped, because there were more than Observations::kMost.
    std::uint64_t takeLost() noexcept { return observations_.takeLost(); }

  private:
    bool looksAtAccesses() const noexcept;
    GroupState& stateOf(const machine::WorkGroup& group);
    void enter(const ObservedLine& line, GroupState& group);
    void look(const ObservedLine& line, GroupState& group);
    void access(const ObservedLine& line, GroupState& group);
    /// Pieces that a message's lanes access together, with which nothing is wrong: nearly all are like that. False if
    /// the message has to be looked at more closely.
    bool arePlain(const ObservedLine& line, GroupState& group, const isa::AccessSpans& spans);
    bool areLocalPlain(const ObservedLine& line, GroupState& group, const isa::AccessSpans& spans);
    /// The same of one piece of global memory.
    bool isPlain(const ObservedLine& line, GroupState& group, const isa::AccessSpan& span);
    /// The same of lanes of global memory that lie apart.
    bool arePlain(const ObservedLine& line, GroupState& group, const PlannedLanes& lanes);
    /// The same of a message whose lanes access words of local memory that lie apart.
    bool arePlainWords(const ObservedLine& line, GroupState& group);
    /// What the thread's host code needs to settle reads of local memory by itself.
    static void showReads(const ObservedLine& line, GroupState& group);
    class Foreseen;  // an access that many threads are going to make
    void globalAccess(const ObservedLine& line, GroupState& group, const isa::MemoryAccess& access);
    void sharedAccess(const ObservedLine& line, GroupState& group, const isa::MemoryAccess& access);
    /// Looks whether numbers lie at addresses that are no multiple of their size, which devices let pass.
    void misalignedAccess(const ObservedLine& line, const isa::MemoryAccess& access);
    /// Looks for lanes that write to what the kernel may only read.
    void constantAccess(const ObservedLine& line, const isa::MemoryAccess& access);
    static bool isInside(const ObservedLine& line, const isa::MemoryAccess& access);
    void localAccess(const ObservedLine& line, GroupState& group, const isa::MemoryAccess& access);
    /// Lanes of these that access private memory: they have been looked at.
    std::uint32_t privateAccess(const ObservedLine& line, GroupState& group, const isa::MemoryAccess& access);
    void crossing(const ObservedLine& line);
    /// Looks now and then whether the thread waits in a loop for what nobody writes. If so, its launch is ended.
    void spinning(const ObservedLine& line, GroupState& group);
    void waiting(const ObservedLine& line, GroupState::Thread& thread);
    void barrier(const ObservedLine& line, GroupState& group);
    /// Forgets marks of commands so old that their numbers come again in marks.
    void forgetOlder(std::uint64_t command) noexcept;
    void report(const ObservedLine& line, zetl::check::Kind kind, const isa::MemoryAccess& access, std::uint32_t lane,
                const machine::Allocation* found = nullptr);
    bool isFromWithin(const ObservedLine& line, GroupState& group, const machine::Allocation& found);
    bool findsRaces() const;
    /// The allocation that contains the address; null if there is none.
    const machine::Allocation* allocationAt(const ObservedLine& line, GroupState& group,
                                            std::uint64_t address) const noexcept;
    /// Its cells; null if races in it are not looked for.
    Cells* cellsOf(const ObservedLine& line, GroupState& group, const machine::Allocation& allocation) noexcept;

    machine::Machine& machine_;
    const zetl::check::Groups groups_;
    const std::uint64_t version_ = nextVersion();  // of what threads remember of this object
    mutable CheckedPrograms programs_;
    PointerOrigins origins_{programs_};
    Observations observations_;
    ReleaseClock clock_;
    RaceCheck races_{observations_, clock_};
    CommandRecords records_;
    std::atomic<std::uint64_t> running_{0};  ///< launches and other commands that have begun and not ended
    Shadow shadow_;
    std::atomic<std::uint64_t> generation_{0};
    Mutex mutex_;
    std::map<const machine::WorkGroup*, std::unique_ptr<GroupState>> states_ ZETL_GUARDED_BY(mutex_);
    std::vector<std::shared_ptr<void>> holds_;  // last: devices report to a whole object
};

}  // namespace zetl::emulator::check
