// The device's clock: the GPU's free-running nanosecond timer (%globaltimer), on which all timestamps of the driver are
// based.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <optional>

#include "base/mutex.h"
#include "base/result.h"

namespace zetl::nvidia {

/// Reads the timer with a kernel of one thread, since no call reads it. Times between two readings are interpolated,
/// because the timer runs at its own rate (about 12 ppm off the host's). If the GPU is too busy to run the kernel
/// within a millisecond, older readings are used. Thread-safe; no call waits longer than kPatience once the clock runs.
class DeviceClock {
  public:
    /// Host (CLOCK_MONOTONIC_RAW) and device time of one moment, in nanoseconds.
    struct Pair {
        std::uint64_t host = 0;
        std::uint64_t device = 0;
    };
    static constexpr std::uint64_t kStep = 32;             ///< nanoseconds between two values of the timer
    static constexpr std::uint64_t kUncertainty = 5'000;   ///< of a pair and of an event's time, nanoseconds
    static constexpr std::uint64_t kPatience = 1'000'000;  ///< nanoseconds
    static constexpr std::uint64_t kFirstPatience = 2'000'000'000;

    explicit DeviceClock(CUcontext context) noexcept : context_(context) {}
    /// Releases the clock's resources on the device. Call it before the context is destroyed.
    void close() noexcept;

    /// Prepares the clock, at a cost of up to 0.1 s. The other functions do so when first called.
    Status start();

    /// The time now. The device time never runs back. DEVICE_LOST, or the error of the first reading.
    Result<Pair> now();

    /// The device time at which a completed event with timing was reached.
    Result<std::uint64_t> timeOf(CUevent event);
    /// The host time of a device time.
    std::uint64_t hostTimeOf(std::uint64_t device);
    /// The device time of a host time.
    std::uint64_t deviceTimeOf(std::uint64_t host);

    /// Makes a stream write the timer's value; `to` must be device-accessible.
    Status appendReading(CUstream stream, std::uint64_t* to);

    /// True if the context is lost. Asks the driver, and does not wait.
    bool lost() const noexcept;

    static std::uint64_t hostNanoseconds() noexcept;

  private:
    /// An event whose device time is known.
    struct Anchor {
        CUevent event = nullptr;
        std::uint64_t device = 0;
        std::uint64_t host = 0;  ///< when it was made
    };

    Status startLocked() ZETL_REQUIRES(mutex_);
    Status launchReading(CUstream stream, std::uint64_t* to) const;
    /// Takes a reading into last_ and, if that succeeded, an anchor. Returns false if the GPU did not run it in time.
    Result<bool> read(std::uint64_t patience) ZETL_REQUIRES(mutex_);
    /// Takes the closest of several readings, since the host may be delayed.
    Result<bool> readBest(std::uint64_t patience) ZETL_REQUIRES(mutex_);
    Status refreshLocked(std::uint64_t age) ZETL_REQUIRES(mutex_);
    std::uint64_t deviceAt(std::uint64_t host) const noexcept ZETL_REQUIRES(mutex_);
    double rate() const noexcept ZETL_REQUIRES(mutex_);

    const CUcontext context_;
    Mutex mutex_;
    bool started_ ZETL_GUARDED_BY(mutex_) = false;
    CUmodule module_ ZETL_GUARDED_BY(mutex_) = nullptr;
    CUfunction reading_ = nullptr;  ///< constant once start() succeeded
    CUstream stream_ ZETL_GUARDED_BY(mutex_) = nullptr;
    CUevent before_ ZETL_GUARDED_BY(mutex_) = nullptr;
    CUevent after_ ZETL_GUARDED_BY(mutex_) = nullptr;
    std::uint64_t* word_ ZETL_GUARDED_BY(mutex_) = nullptr;  ///< the kernel's answer, in host memory
    Pair first_ ZETL_GUARDED_BY(mutex_);
    Pair last_ ZETL_GUARDED_BY(mutex_);
    std::uint64_t width_ ZETL_GUARDED_BY(mutex_) = 0;  ///< nanoseconds from requesting last_ to seeing it
    Anchor anchor_ ZETL_GUARDED_BY(mutex_);
    std::uint64_t latest_ ZETL_GUARDED_BY(mutex_) = 0;  ///< the last result of now()
};

}  // namespace zetl::nvidia
