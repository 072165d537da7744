// Counter samples at fixed times, out of readings that come whenever somebody gets to take one.
#pragma once

#include <cstdint>
#include <deque>

#include "emulator/machine/counters.h"

namespace zetl::emulator::machine {

struct Sample {
    Snapshot snapshot;
    bool marker = false;        ///< made by Timeline::mark(), with its value
    bool interpolated = false;  ///< no reading was taken in the period that begins here
    std::uint32_t value = 0;
};

/// Samples at start + k * period, k = 1, 2, ... Counts at such a time lie on the line between the readings around it,
/// so differences of samples add up to the difference of the readings exactly. Not thread-safe.
class SampleGrid {
  public:
    /// `first` is the reading at the start; the period is in ticks, at least 1.
    SampleGrid(const Snapshot& first, std::uint64_t periodTicks) noexcept
        : last_(first), next_(first.timestamp + periodTicks), period_(periodTicks) {}

    /// Time of the next sample.
    std::uint64_t next() const noexcept { return next_; }
    /// Number of samples that a reading at that time would complete.
    std::uint64_t due(std::uint64_t now) const noexcept { return now < next_ ? 0 : (now - next_) / period_ + 1; }

    /// Goes forward by the n oldest samples that are due without making them. n <= due().
    void skip(std::uint64_t n) noexcept { next_ += n * period_; }

    /// Appends all samples up to the reading, which is not older than the one before.
    void read(const Snapshot& now, std::deque<Sample>& samples);

  private:
    Snapshot last_;
    std::uint64_t next_;
    std::uint64_t period_;
};

}  // namespace zetl::emulator::machine
