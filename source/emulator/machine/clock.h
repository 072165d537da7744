// The device clock: one counter for all tiles, devices and processes of a host.
#pragma once

#include <atomic>
#include <cstdint>

#include "emulator/machine/host_time.h"

namespace zetl::emulator::machine {

/// Counts in 64 bits; callers that pass a value on cut it to the width of the device's clock (TickWidth). Thread-safe.
class Clock {
  public:
    explicit Clock(std::uint64_t hz, HostTime host = HostTime::ofProcess()) noexcept : hz_(hz), host_(host) {}
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;

    std::uint64_t hz() const noexcept { return hz_; }

    /// Ticks of device time (HostTime). Strictly increasing over all calls of all threads: a call within the tick of
    /// another call waits for the next tick, so the result never runs ahead of the host clock either. The wait is at
    /// most one tick for each thread that asks at the same time.
    std::uint64_t timestamp() noexcept;

    /// The tick of this moment, which may have been returned before: for elapsed times and samples.
    std::uint64_t peek() const noexcept { return at(hostNow()); }

    struct Pair {
        std::uint64_t device;  ///< ticks, as from timestamp()
        std::uint64_t host;    ///< nanoseconds of this process's host clock within that tick
    };
    /// Both clocks at one moment.
    Pair correlate() noexcept;

    /// Nanoseconds of this process's host clock: CLOCK_MONOTONIC_RAW.
    std::uint64_t hostNow() const noexcept { return host_.now(); }
    /// The tick of a moment of that clock, and the moment at which a tick began.
    std::uint64_t at(std::uint64_t hostNanoseconds) const noexcept;
    std::uint64_t hostAt(std::uint64_t tick) const noexcept;

    /// Conversions of durations.
    std::uint64_t ticks(std::uint64_t nanoseconds) const noexcept;
    std::uint64_t nanoseconds(std::uint64_t ticks) const noexcept;

  private:
    const std::uint64_t hz_;
    const HostTime host_;
    std::atomic<std::uint64_t> last_{0};
};

}  // namespace zetl::emulator::machine
