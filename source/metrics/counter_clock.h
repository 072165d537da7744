// The clock that counter reports are stamped with.
#pragma once

#include <cstdint>

#include "device/device.h"

namespace zetl::metrics {

/// Times wrap at 2^validBits ticks. A device that does not tell its clock has rate 0, and all its lengths are 0.
struct CounterClock {
    std::uint64_t ticksPerSecond = 0;
    std::uint32_t validBits = 64;

    static CounterClock of(const device::Device& device);

    /// From one time to a later one that is less than a whole range of the clock away.
    std::uint64_t elapsed(std::uint64_t begin, std::uint64_t end) const noexcept;
    std::uint64_t nanoseconds(std::uint64_t ticks) const noexcept;
};

}  // namespace zetl::metrics
