// The device clock: one counter for all tiles and processes, derived from the host's CLOCK_MONOTONIC_RAW.
#pragma once

#include <atomic>
#include <cstdint>

namespace zetl::emulator::machine {

class Clock {
  public:
    explicit Clock(uint64_t hz) noexcept : hz_(hz) {}
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;

    uint64_t hz() const noexcept { return hz_; }

    /// Ticks since the host clock's zero. Strictly increasing over all calls of all threads: a call within the tick of
    /// another waits for the next one, so the answer never runs ahead of the host clock either. Bounded by one tick for
    /// every thread that asks at the same time.
    uint64_t timestamp() noexcept;

    /// The tick of this moment, without the promise of being new: for elapsed times and samples.
    uint64_t peek() const noexcept { return ticks(hostNanoseconds()); }

    struct Pair {
        uint64_t device;  ///< ticks, as from timestamp()
        uint64_t host;    ///< nanoseconds of CLOCK_MONOTONIC_RAW within that tick
    };
    /// Both clocks at one moment.
    Pair correlate() noexcept;

    uint64_t ticks(uint64_t nanoseconds) const noexcept;
    uint64_t nanoseconds(uint64_t ticks) const noexcept;
    static uint64_t hostNanoseconds() noexcept;

  private:
    const uint64_t hz_;
    std::atomic<uint64_t> last_{0};
};

}  // namespace zetl::emulator::machine
