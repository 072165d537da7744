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
    Tally() = default;
    Tally(const Tally&) = delete;
    Tally& operator=(const Tally&) = delete;
    /// Nobody counts any more.
    ~Tally();

    /// Where a thread counts the lines it executes of this program (isa::Thread::runs). Valid as long as the Tally.
    /// Reads the list without the mutex: no other thread writes it.
    std::int64_t* runs(const LoadedProgram& program) ZETL_NOT_ANALYSED;

    void add(Counter counter, std::uint64_t amount) noexcept;
    void add(const isa::Traffic& traffic) noexcept;

    /// What add() was called with so far.
    Counts direct() const noexcept;

    struct LineCounts {
        std::shared_ptr<const LoadedProgram> program;
        std::vector<LineStretch> executed;

        /// Calls f(line, how often) for those that were executed.
        template <class F>
        void eachLine(F&& f) const {
            for (const LineStretch& stretch : executed)
                for (isa::Line line = stretch.begin; line < stretch.end; ++line) f(line, stretch.executed);
        }
        /// What its instructions count; and by their pipes, the cycles for which they took their ports.
        void addTo(Counts& counts, Counts& portCycles) const noexcept;
    };
    /// So far, in time linear in the size of the programs that ran.
    std::vector<LineCounts> lines() const;
    /// All of them, once nobody counts any more: then there are none.
    std::vector<LineCounts> takeLines();

  private:
    struct Runs {
        std::shared_ptr<const LoadedProgram> program;
        std::unique_ptr<LineRuns> lines;
    };
    mutable Mutex mutex_;
    std::vector<Runs> runs_ ZETL_GUARDED_BY(mutex_);  // the list, not the counts
    std::array<std::atomic<std::uint64_t>, kCounters> direct_{};
};

}  // namespace zetl::emulator::machine
