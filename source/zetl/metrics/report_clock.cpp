#include "metrics/report_clock.h"

#include <cmath>

namespace zetl::command {
namespace {

constexpr double kSecond = 1e9;
constexpr std::uint64_t kMostBits = 64;
/// The clocks are read one after the other, and count in steps, so a report may seem to be this much later than the
/// pair.
constexpr double kSlack = 1e7;

double nanosecondsATick(double ticksASecond) { return ticksASecond > 0 ? kSecond / ticksASecond : 1; }

}  // namespace

ReportClock::ReportClock(double ticksASecond, std::uint64_t validBits)
    : wrap_(validBits == 0 || validBits >= kMostBits
                ? 0
                : std::ldexp(nanosecondsATick(ticksASecond), static_cast<int>(validBits))) {}

void ReportClock::correlate(std::uint64_t host, std::uint64_t ticks, double ticksASecond) {
    host_ = host;
    device_ = static_cast<double>(ticks) * nanosecondsATick(ticksASecond);
    if (wrap_ > 0) device_ = std::fmod(device_, wrap_);
}

std::uint64_t ReportClock::hostTime(std::uint64_t reported) const {
    double before = device_ - static_cast<double>(reported);
    if (wrap_ > 0) before = std::fmod(before, wrap_);
    if (wrap_ > 0 && before < -kSlack) before += wrap_;
    if (wrap_ > 0 && before > wrap_ - kSlack) before -= wrap_;
    return host_ - static_cast<std::uint64_t>(std::llround(before));
}

}  // namespace zetl::command
