// From the time of a report (QueryBeginTime) to the host's clock (zetMetricGroupGetGlobalTimestampsExp, or, since both
// count from the same moment, zeDeviceGetGlobalTimestamps).
#pragma once

#include <cstdint>

namespace zetl::command {

/// Times of reports count nanoseconds of a clock that wraps. Of the moments that one can mean, the last is meant that
/// was not after the pair: so a report must be younger than a wrap when the pair is taken.
class ReportClock {
  public:
    /// Ticks a second, and how many bits of them count: 0 or 64 and more, they do not wrap.
    ReportClock(double ticksASecond, std::uint64_t validBits);

    /// Both clocks at one moment: nanoseconds, and ticks of so many a second.
    void correlate(std::uint64_t host, std::uint64_t ticks, double ticksASecond);
    /// Host's nanoseconds of a report's.
    std::uint64_t hostTime(std::uint64_t reported) const;

  private:
    double wrap_;  ///< nanoseconds; 0: none
    std::uint64_t host_ = 0;
    double device_ = 0;
};

}  // namespace zetl::command
