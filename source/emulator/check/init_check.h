// Finds where something that nobody has written decides something: a branch, an address, or a result. Copies of it are
// no mistake.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "check/finding.h"
#include "emulator/check/byte_levels.h"
#include "emulator/check/findings.h"
#include "emulator/check/init_program.h"
#include "emulator/check/observations.h"
#include "emulator/check/register_levels.h"
#include "emulator/check/version.h"
#include "emulator/isa/observe.h"
#include "emulator/machine/execution/program_observers.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::machine {
class WorkGroup;
struct HardwareThread;
}  // namespace zetl::emulator::machine

namespace zetl::emulator::check {

/// One for a machine, as long as that lives. Thread-safe.
///
/// Known limits: host and shared memory, scratch memory, products of matrices and blocks of two dimensions count as
/// written; a byte is undefined as a whole; results are reported when they are stored, whether or
/// not anyone reads them.
class InitCheck final : public machine::ProgramObserver {
  public:
    explicit InitCheck(machine::Machine& machine);

    std::vector<bool> linesOf(const machine::LoadedProgram& loaded) const override;
    std::vector<bool> idleLinesOf(const machine::LoadedProgram& loaded) const override;
    std::uint8_t idleBit() const noexcept override { return kIdle; }
    std::vector<isa::Followed> usesOf(const machine::LoadedProgram& loaded) const override;
    void beforeLine(isa::Thread& thread, isa::Line line) noexcept override;
    bool judgesGroups() const noexcept override { return true; }
    std::uint32_t passes(const isa::GroupAccesses& accesses) noexcept override;

    /// The host or a copy engine has written these bytes; `from` is where it copied them from, or 0.
    void written(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) noexcept;

    /// What was found in a launch, or in its part on one tile, that has ended.
    std::vector<zetl::check::Finding> take(const machine::Dispatch& dispatch, const SourceOf& source);
    std::uint64_t takeLost() noexcept { return observations_.takeLost(); }

  private:
    struct ThreadState {
        std::uint64_t launch = 0;
        std::uint64_t group = 0;
        std::uint32_t index = ~0u;
        RegisterLevels registers;
        std::unique_ptr<MemoryLevels> ownMemory;  ///< private memory; null before it is accessed
        std::unique_ptr<MemoryLevels> scratch;    ///< the same of scratch memory
        /// What the last messages accessed, by their numbers.
        struct Accessed {
            std::uint64_t tableVersion = 0;   ///< AllocationTable::version() before it was looked for
            std::uint64_t levelsVersion = 0;  ///< LevelsOfAllocations::version() before its levels were
            const machine::Allocation* allocation = nullptr;
            MemoryLevels* levels = nullptr;
        };
        std::array<Accessed, 32> accessed{};
        /// Bytes that may be read before they are written, as its last group begins.
        struct ReadFirst {
            const machine::LoadedProgram* loaded = nullptr;
            std::uint64_t launch = 0;
            std::uint32_t dispatched = 0;
            std::vector<isa::StateSlots::Run> runs{};
        } readFirst;
    };
    struct GroupState {
        std::uint64_t launch = 0;
        std::uint64_t group = 0;
        std::unique_ptr<MemoryLevels> local;
    };
    struct Line;

    ThreadState& stateOf(const machine::HardwareThread& thread, const machine::WorkGroup& group);
    MemoryLevels* localOf(const machine::WorkGroup& group);
    MemoryLevels* localOf(const Line& line);
    bool isOfWholeLocal(const Line& line);
    /// Of private memory of the thread, if the address is in it; null otherwise, or if the host has no memory.
    static MemoryLevels* privateAt(const Line& line, std::uint64_t address, std::uint64_t& offset);
    /// Of the thread's scratch memory; null if the host has no memory.
    static MemoryLevels* scratchOf(const Line& line);
    void look(const Line& line);
    void message(const Line& line);
    void access(const Line& line, bool marked);
    /// The allocation at the address and its levels; null if there is none.
    const ThreadState::Accessed* accessedAt(const Line& line, std::uint64_t address);
    template <class Pieces>
    bool isPlain(const Line& line, const Pieces& pieces);
    bool arePlain(const Line& line, const isa::MemoryAccess& access);
    void lookAtAddresses(const Line& line, const isa::MemoryAccess& access);
    void load(const Line& line, const isa::MemoryAccess& access, bool marked);
    void atomic(const Line& line, const isa::MemoryAccess& access, bool marked);
    void store(const Line& line, const isa::MemoryAccess& access, bool marked);
    MemoryLevels* levelsAt(const Line& line, const isa::MemoryAccess& access, std::uint32_t lane,
                           std::uint64_t& offset);
    void report(const Line& line, zetl::check::Kind kind, std::int8_t lane);

    static constexpr std::uint8_t kIdle = 1;  // of isa::Thread::idle

    machine::Machine& machine_;
    const std::uint64_t version_ = nextVersion();  // of what threads remember of this object
    mutable InitPrograms programs_;
    Observations observations_;
    LevelsOfAllocations allocations_;
    Mutex mutex_;
    std::map<const machine::HardwareThread*, std::unique_ptr<ThreadState>> threads_ ZETL_GUARDED_BY(mutex_);
    std::map<const machine::WorkGroup*, std::unique_ptr<GroupState>> groups_ ZETL_GUARDED_BY(mutex_);
    std::vector<std::shared_ptr<void>> holds_;  // last: devices report to a whole object
};

}  // namespace zetl::emulator::check
