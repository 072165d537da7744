// Maps timestamps of a device to the host's clock (core specification, "Kernel Timestamp Events";
// zeDeviceGetGlobalTimestamps).
#pragma once

#include <cstdint>

namespace zetl::activity {

/// Nanoseconds per cycle for a device's timerResolution, which was read with ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2
/// and is in cycles per second. Drivers that do not know this structure may have answered in nanoseconds per cycle; no
/// clock counts slower than a thousand times per second.
double nanosecondsACycle(std::uint64_t resolution) noexcept;

/// Nanoseconds of CLOCK_MONOTONIC_RAW.
std::uint64_t hostNow() noexcept;

/// The units and widths of a device's clock.
struct ClockFacts {
    std::uint32_t timestampBits = 0;  ///< of zeDeviceGetGlobalTimestamps
    std::uint32_t kernelBits = 0;     ///< of kernel timestamps
    double nanosecondsACycle = 0;     ///< 0: unknown
};

/// The values of both clocks at one moment.
struct ClockPair {
    std::uint64_t host = 0;    ///< nanoseconds
    std::uint64_t device = 0;  ///< cycles, cut to the valid bits
};

/// Kernel timestamps wrap, so one can mean several moments. The first of them that is not before the command's
/// submission is taken; that is right as long as a command ends within one wrap period of its submission.
class DeviceClock {
  public:
    DeviceClock() = default;
    explicit DeviceClock(const ClockFacts& facts) : facts_(facts) {}

    bool usable() const noexcept;
    void correlate(const ClockPair& pair) noexcept { pair_ = pair; }
    std::uint64_t correlatedAt() const noexcept { return pair_.host; }

    /// The host time, in nanoseconds, of a kernel timestamp whose command was submitted at `submitted` in the same
    /// clock.
    std::uint64_t hostTime(std::uint64_t kernelCycles, std::uint64_t submitted) const noexcept;
    /// Nanoseconds between two kernel timestamps, the second of which is later.
    std::uint64_t duration(std::uint64_t start, std::uint64_t end) const noexcept;

  private:
    ClockFacts facts_;
    ClockPair pair_;
};

}  // namespace zetl::activity
