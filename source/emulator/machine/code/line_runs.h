// How often each line of a program ran, in one dispatch, as one host thread counts it.
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

    /// For the writer.
    std::int64_t* differences() noexcept {
        cleared_ = false;
        return differences_.data();
    }
    /// By their order. Beside a running writer it may miss what ran last, but never has too much.
    std::vector<LineStretch> stretches() const;
    /// All of them; nobody writes any more. Clears it.
    std::vector<LineStretch> take();
    void clear() noexcept;

  private:
    std::vector<std::int64_t> differences_;
    bool cleared_ = true;

    isa::Line lines() const noexcept { return static_cast<isa::Line>(differences_.size() - 1); }
    isa::Line nextChange(isa::Line line) const noexcept;
};

/// Cleared ones of a program, so that a launch need not clear as many words as the program has lines. Thread-safe.
class SpareLineRuns {
  public:
    std::unique_ptr<LineRuns> take() noexcept;  ///< null if there is none
    /// Clears it; beyond a few it is dropped.
    void give(std::unique_ptr<LineRuns> runs) noexcept;

  private:
    Mutex mutex_;
    std::vector<std::unique_ptr<LineRuns>> spare_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::machine
