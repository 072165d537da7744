// How often each line of a program ran in one dispatch, counted by one host thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "emulator/isa/program.h"

namespace zetl::emulator::machine {

/// Neighbouring lines, from `begin` to before `end`, that were executed equally often, and at least once.
struct LineStretch {
    isa::Line begin;
    isa::Line end;
    std::uint64_t executed;
};

/// The differences of isa::Thread::runs: written by one thread, read by any at any time.
class LineRuns {
  public:
    explicit LineRuns(std::size_t lines) : differences_(lines + 1) {}

    /// For the writing thread.
    std::int64_t* differences() noexcept {
        cleared_ = false;
        return differences_.data();
    }
    /// In the order of lines. While the writer runs it may miss the latest runs, but never counts too many.
    std::vector<LineStretch> stretches() const;
    /// Returns all of them and clears them. Call it when nothing writes any more.
    std::vector<LineStretch> take();
    void clear() noexcept;

  private:
    std::vector<std::int64_t> differences_;
    bool cleared_ = true;

    isa::Line lines() const noexcept { return static_cast<isa::Line>(differences_.size() - 1); }
    isa::Line nextChange(isa::Line line) const noexcept;
    isa::Line nextSettledChange(isa::Line line) const noexcept;
    /// `next(line)`: the first line from there on that has a difference.
    template <class Next>
    std::vector<LineStretch> stretchesBy(Next next) const;
};

/// Cleared objects for a program, so that a launch need not clear as many words as the program has lines. Thread-safe.
class SpareLineRuns {
  public:
    std::unique_ptr<LineRuns> take() noexcept;  ///< null if there is none
    /// Clears it and keeps it; drops it if there are a few already.
    void give(std::unique_ptr<LineRuns> runs) noexcept;

  private:
    Mutex mutex_;
    std::vector<std::unique_ptr<LineRuns>> spare_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::machine
