#include "activity/device_clock.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace zetl::activity {
namespace {

std::uint64_t maskOf(std::uint32_t bits) { return bits >= 64 ? UINT64_MAX : (std::uint64_t(1) << bits) - 1; }

constexpr double kNanoseconds = 1e9;

}  // namespace

double nanosecondsACycle(std::uint64_t resolution) noexcept {
    if (resolution == 0) return 0;
    return resolution < 1000 ? static_cast<double>(resolution) : kNanoseconds / static_cast<double>(resolution);
}

std::uint64_t hostNow() noexcept {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
}

bool DeviceClock::usable() const noexcept {
    return facts_.nanosecondsACycle > 0 && facts_.kernelBits > 0 && facts_.timestampBits > 0 && pair_.host != 0;
}

std::uint64_t DeviceClock::hostTime(std::uint64_t kernelCycles, std::uint64_t submitted) const noexcept {
    const auto mask = maskOf(std::min(facts_.kernelBits, facts_.timestampBits));
    const auto after = (kernelCycles - pair_.device) & mask;
    const auto before = (pair_.device - kernelCycles) & mask;
    const double distance = after <= before ? static_cast<double>(after) : -static_cast<double>(before);
    const double wrap = (static_cast<double>(mask) + 1) * facts_.nanosecondsACycle;
    // Clocks are read one after the other and count in steps, so a command may seem to begin before its submission.
    const double slack = std::min(wrap / 4, 1e9);
    double sinceSubmission =
        static_cast<double>(static_cast<std::int64_t>(pair_.host - submitted)) + distance * facts_.nanosecondsACycle;
    sinceSubmission += std::ceil((-slack - sinceSubmission) / wrap) * wrap;
    return submitted + static_cast<std::uint64_t>(std::llround(sinceSubmission));
}

std::uint64_t DeviceClock::duration(std::uint64_t start, std::uint64_t end) const noexcept {
    return static_cast<std::uint64_t>(
        std::llround(static_cast<double>((end - start) & maskOf(facts_.kernelBits)) * facts_.nanosecondsACycle));
}

}  // namespace zetl::activity
