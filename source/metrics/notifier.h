// Signals the notification events of streamers and tracers in real time.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/service_thread.h"
#include "device/core_calls.h"

namespace zetl::metrics {

/// An object whose opener wants an event signalled when enough data wait.
struct Watched {
    std::shared_ptr<const void> owner;
    ze_event_handle_t notification;
    /// The shortest time until enough data wait to be read, or until it has to be asked again; 0: they wait.
    /// Thread-safe; valid while the owner lives.
    std::function<std::chrono::nanoseconds()> untilThen;
};

/// One thread, alive only while it has objects to watch. It sleeps until the earliest of them can have as much data as
/// its opener asked for, and then signals that event. An event that the host has reset is signalled again while that is
/// still true. Thread-safe.
class Notifier {
  public:
    /// How soon an event that was reset is signalled again, and the longest sleep.
    static constexpr std::chrono::milliseconds kAgain{2};
    static constexpr std::chrono::milliseconds kLongestSleep{20};

    explicit Notifier(const device::CoreCalls& core) : core_(core) {}
    ~Notifier();

    /// Returns false if the host gives no memory or (logged) no thread; the object is not watched then.
    template <class T>
    bool watch(const std::shared_ptr<T>& one) noexcept {
        return watch(Watched{one, one->notification(), [at = one.get()] { return at->untilNotification(); }});
    }
    /// The event is not touched after this has returned.
    void forget(const void* owner);
    /// The same for any owner's event, which the application destroys. Costs next to nothing if nothing was ever
    /// watched, and in a forked child, which has no thread that signals.
    void forgetEvent(ze_event_handle_t event) noexcept;

  private:
    bool watch(Watched one) noexcept;
    void run();
    std::chrono::nanoseconds attend(const Watched& one) const;

    const device::CoreCalls core_;
    Mutex mutex_;
    Condition changed_;
    std::vector<Watched> watched_ ZETL_GUARDED_BY(mutex_);
    bool ending_ ZETL_GUARDED_BY(mutex_) = false;
    ServiceThread thread_ ZETL_GUARDED_BY(mutex_);
    std::atomic<pid_t> watching_{0};  ///< the process in which something was watched
};

}  // namespace zetl::metrics
