// Whether a thread waits in a loop for a value that nobody writes: its registers come back to what they were, at the
// same instruction, and no thread of any launch has written anything for kSpinLimit.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include "emulator/isa/program.h"
#include "emulator/isa/thread.h"

namespace zetl::emulator::check {

/// Long enough for a thread that computes without memory before it writes what others wait for.
inline constexpr std::chrono::seconds kSpinLimit{10};

/// Of one thread. Used by the worker that runs it.
class SpinWatch {
  public:
    using Clock = std::chrono::steady_clock;

    /// The thread has read memory so often. True if it is time to call sees().
    bool isDue(std::uint32_t reads) noexcept {
        const std::uint32_t before = std::exchange(reads_, reads_ + reads);
        return before / kEvery != reads_ / kEvery;
    }
    /// It is at this line now, and `progress` counts what all threads have changed so far. True if it waits for ever.
    bool sees(const isa::Thread& thread, isa::Line line, std::uint64_t progress, Clock::time_point now) noexcept;

  private:
    static constexpr std::uint32_t kEvery = 1 << 12;

    std::uint32_t reads_ = 0;
    std::uint64_t progress_ = ~std::uint64_t{0};
    Clock::time_point since_;      // when `progress_` was seen first
    std::uint64_t reference_ = 0;  // of a state, with which later ones are compared
    std::uint64_t seen_ = 0;       // states since then
    std::uint64_t next_ = 0;       // when the next one becomes the reference: loops of any length come back to it
};

}  // namespace zetl::emulator::check
