// Counting without contention: what one worker executed for one dispatch.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "emulator/isa/thread.h"
#include "emulator/machine/code/loaded_program.h"
#include "emulator/machine/counters.h"

namespace zetl::emulator::machine {

/// Written by its worker only, read by anybody at any time.
class Tally {
  public:
    /// Where a thread counts the lines it executes of this program (isa::Thread::runs). Valid as long as the Tally.
    /// Reads the list without the mutex: no other thread writes it.
    std::int64_t* runs(const LoadedProgram& program) ZETL_NOT_ANALYSED;

    void add(Counter counter, std::uint64_t amount) noexcept;
    void add(const isa::Traffic& traffic) noexcept;

    /// Everything so far; line counts are worked out here, in time linear in the size of the programs that ran. Adds to
    /// `portCycles`, by the pipes of instructions, the cycles for which those took their ports.
    Counts read(Counts& portCycles) const;

    struct LineCounts {
        const LoadedProgram* program;
        std::vector<std::uint64_t> executed;  ///< by line
    };
    std::vector<LineCounts> lines() const;

  private:
    struct Runs {
        const LoadedProgram* program;
        std::unique_ptr<std::int64_t[]> differences;
    };
    mutable Mutex mutex_;
    std::vector<Runs> runs_ ZETL_GUARDED_BY(mutex_);  // the list, not the counts
    std::array<std::atomic<std::uint64_t>, kCounters> direct_{};
};

}  // namespace zetl::emulator::machine
