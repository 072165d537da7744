// The clock of counter reports.
#pragma once

#include <cstdint>

namespace zetl::metrics {

/// Times wrap at 2^validBits ticks. A device that does not describe its clock has rate 0, and all durations are 0.
struct CounterClock {
    std::uint64_t ticksPerSecond = 0;
    std::uint32_t validBits = 64;
};

/// Converts ticks to nanoseconds, rounded down, exactly for every tick count whose time fits in 64 bits.
class Nanoseconds {
  public:
    explicit Nanoseconds(const CounterClock& clock) noexcept;

    std::uint64_t operator()(std::uint64_t ticks) const noexcept {
        return ticks <= most_ ? ticks * numerator_ / denominator_ : wide(ticks);
    }

  private:
    std::uint64_t wide(std::uint64_t ticks) const noexcept;

    std::uint64_t numerator_ = 0;
    std::uint64_t denominator_ = 1;
    std::uint64_t most_ = UINT64_MAX;  ///< ticks whose product with the numerator fits
};

}  // namespace zetl::metrics
