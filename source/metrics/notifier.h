// Signals the notification events of streamers in real time.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/service_thread.h"
#include "device/core_calls.h"
#include "metrics/streamer.h"

namespace zetl::metrics {

/// One thread, alive only while it has streamers to watch. It sleeps until the earliest of them can have as many
/// reports waiting as its opener asked for, and signals that event then; an event that the host has reset is signalled
/// again while that holds. Thread-safe.
class Notifier {
  public:
    /// How soon an event that was reset is signalled again, and the longest sleep.
    static constexpr std::chrono::milliseconds kAgain{2}, kLongestSleep{20};

    explicit Notifier(const device::CoreCalls& core) : core_(core) {}
    ~Notifier();

    /// False if the host gives no memory or, with a log line, no thread; the streamer is not watched then.
    bool watch(std::shared_ptr<Streamer> streamer) noexcept;
    /// The event is not touched after this has returned.
    void forget(const Streamer& streamer);

  private:
    void run();
    std::chrono::nanoseconds attend(const Streamer& streamer) const;

    const device::CoreCalls core_;
    Mutex mutex_;
    Condition changed_;
    std::vector<std::shared_ptr<Streamer>> streamers_ ZETL_GUARDED_BY(mutex_);
    bool ending_ ZETL_GUARDED_BY(mutex_) = false;
    ServiceThread thread_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::metrics
