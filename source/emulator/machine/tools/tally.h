// Counts, without contention, what one worker executed for one dispatch.
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

/// Written by its worker only; any thread may read it at any time.
class Tally {
  public:
    Tally() = default;
    Tally(const Tally&) = delete;
    Tally& operator=(const Tally&) = delete;
    /// Destroy it when nothing counts any more.
    ~Tally();

    /// Where a thread counts the lines of this program that it executes (isa::Thread::runs). Valid as long as the
    /// Tally. Reads the list without the mutex, since no other thread writes it.
    std::int64_t* runs(const LoadedProgram& executed) ZETL_NOT_ANALYSED;

    void add(Counter counter, std::uint64_t amount) noexcept;
    void add(const isa::Traffic& traffic) noexcept;

    /// Calls f(program, where its lines are counted) for each, in the order in which they first ran. For the worker.
    template <class F>
    void eachRuns(F&& f) const ZETL_NOT_ANALYSED {
        for (const Runs& each : runs_) f(*each.program, each.lines->differences());
    }

    /// The sum of all calls of add() so far.
    Counts direct() const noexcept;

    struct LineCounts {
        std::shared_ptr<const LoadedProgram> program;
        std::vector<LineStretch> executed;

        /// Calls f(line, how often) for each executed line.
        template <class F>
        void eachLine(F&& f) const {
            for (const LineStretch& stretch : executed)
                for (isa::Line line = stretch.begin; line < stretch.end; ++line) f(line, stretch.executed);
        }
        /// Adds the counts of its instructions; and by pipe, the cycles for which they occupied their ports.
        void addTo(Counts& counts, Counts& portCycles) const noexcept;
    };
    /// The lines so far, in time linear in the size of the programs that ran.
    std::vector<LineCounts> lines() const;
    /// Takes all of them out, once nothing counts any more.
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
