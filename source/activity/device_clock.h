// From timestamps of a device to the host's clock (core specification, "Kernel Timestamp Events";
// zeDeviceGetGlobalTimestamps).
#pragma once

#include <cstdint>

namespace zetl::activity {

/// Of a device's timerResolution, asked for with ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2: cycles a second there.
/// Drivers that do not know it may have answered in nanoseconds a cycle; no clock counts slower than a thousand times a
/// second.
double nanosecondsACycle(std::uint64_t resolution) noexcept;

/// Nanoseconds of CLOCK_MONOTONIC_RAW.
std::uint64_t hostNow() noexcept;

/// How a device counts.
struct ClockFacts {
    std::uint32_t timestampBits = 0;  ///< of zeDeviceGetGlobalTimestamps
    std::uint32_t kernelBits = 0;     ///< of kernel timestamps
    double nanosecondsACycle = 0;     ///< 0: unknown
};

/// Both clocks at one moment.
struct ClockPair {
    std::uint64_t host = 0;    ///< nanoseconds
    std::uint64_t device = 0;  ///< cycles, cut to the valid bits
};

/// Kernel timestamps wrap: of the moments that one can mean, the first that is not before the command was submitted is
/// meant. That is so as long as a command ends within a wrap's time of its submission.
class DeviceClock {
  public:
    DeviceClock() = default;
    explicit DeviceClock(const ClockFacts& facts) : facts_(facts) {}

    bool usable() const noexcept;
    void correlate(const ClockPair& pair) noexcept { pair_ = pair; }
    std::uint64_t correlatedAt() const noexcept { return pair_.host; }

    /// Host's nanoseconds of a kernel timestamp whose command was submitted at `submitted`, in the same clock.
    std::uint64_t hostTime(std::uint64_t kernelCycles, std::uint64_t submitted) const noexcept;
    /// Nanoseconds between two kernel timestamps, the second of which is later.
    std::uint64_t duration(std::uint64_t start, std::uint64_t end) const noexcept;

  private:
    ClockFacts facts_;
    ClockPair pair_;
};

}  // namespace zetl::activity
