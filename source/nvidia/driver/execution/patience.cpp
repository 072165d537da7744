#include "nvidia/driver/execution/patience.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace zetl::nvidia {
namespace {

constexpr std::uint64_t kLooking = 50'000;        // nanoseconds before the first sleep
constexpr std::uint64_t kLongestSleep = 100'000;  // nanoseconds

}  // namespace

void giveWay(std::uint64_t waitedNanoseconds) noexcept {
    if (waitedNanoseconds < kLooking) return;
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(waitedNanoseconds / 8, kLongestSleep)));
}

}  // namespace zetl::nvidia
