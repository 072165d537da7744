// Waits for something that can only be polled.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "nvidia/driver/device/clock.h"

namespace zetl::nvidia {

constexpr std::uint64_t kForever = UINT64_MAX;

/// Yields to other threads for longer the longer the wait takes: polls all the time at first, sleeps later.
void giveWay(std::uint64_t waitedNanoseconds) noexcept;

/// Calls `look` until it returns anything but NOT_READY, the time is over, or the context of the clock is lost
/// (DEVICE_LOST).
template <class Look>
Status waitFor(std::uint64_t nanoseconds, const DeviceClock& clock, Look&& look) {
    constexpr std::uint64_t kLooksBetweenQuestions = 64;  // to the driver, whether the context is lost
    std::uint64_t looks = 0;
    const std::uint64_t began = DeviceClock::hostNanoseconds();
    for (;;) {
        const Status status = look();
        const std::uint64_t waited = DeviceClock::hostNanoseconds() - began;
        if (status != ZE_RESULT_NOT_READY || waited >= nanoseconds) return status;
        if (++looks % kLooksBetweenQuestions == 0 && clock.lost()) return ZE_RESULT_ERROR_DEVICE_LOST;
        giveWay(waited);
    }
}

}  // namespace zetl::nvidia
