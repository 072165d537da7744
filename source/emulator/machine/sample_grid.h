// Makes counter samples at fixed times from readings that are taken at any time.
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

/// Samples at start + k * period, k = 1, 2, ... The counts at such a time are interpolated linearly between the
/// readings around it, so differences of samples add up exactly to the difference of the readings. Not thread-safe.
class SampleGrid {
  public:
    /// `first` is the reading at the start; the period is in ticks, at least 1.
    SampleGrid(const Snapshot& first, std::uint64_t periodTicks) noexcept
        : last_(first), next_(first.timestamp + periodTicks), period_(periodTicks) {}

    /// Time of the next sample.
    std::uint64_t next() const noexcept { return next_; }
    /// Number of samples that a reading at that time would complete.
    std::uint64_t due(std::uint64_t now) const noexcept { return now < next_ ? 0 : (now - next_) / period_ + 1; }

    /// Skips the n oldest samples that are due without making them. n <= due().
    void skip(std::uint64_t n) noexcept { next_ += n * period_; }

    /// Appends all samples up to the reading, which must not be older than the one before.
    void read(const Snapshot& now, std::deque<Sample>& samples);

  private:
    Snapshot last_;
    std::uint64_t next_;
    std::uint64_t period_;
};

}  // namespace zetl::emulator::machine
