// From the time of a report (QueryBeginTime) to the host's clock (zetMetricGroupGetGlobalTimestampsExp, or, since both
// count from the same moment, zeDeviceGetGlobalTimestamps).
#pragma once

#include <cstdint>

namespace zetl::command {

/// Report times are nanoseconds of a clock that wraps. Of the possible times, the last one that is not after the pair
/// of clock readings is chosen. So a report must be younger than one wrap when the pair is read.
class ReportClock {
  public:
    /// Ticks per second, and the number of valid bits; with 0, or 64 and more, the clock does not wrap.
    ReportClock(double ticksASecond, std::uint64_t validBits);

    /// Both clocks at one moment: nanoseconds, and ticks with their rate per second.
    void correlate(std::uint64_t host, std::uint64_t ticks, double ticksASecond);
    /// The host time of a report's time, in nanoseconds.
    std::uint64_t hostTime(std::uint64_t reported) const;

  private:
    double wrap_;  ///< nanoseconds; 0: none
    std::uint64_t host_ = 0;
    double device_ = 0;
};

}  // namespace zetl::command
