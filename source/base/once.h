// Runs something once per process or object, and again if it failed.
#pragma once

#include <atomic>
#include <utility>

#include "base/mutex.h"

namespace zetl {

/// Like std::once_flag with std::call_once, but for functions that may throw. std::call_once lets the exception pass
/// through the C library, which ends the process if it finds no memory to unwind with: just when std::bad_alloc is
/// thrown.
class Once {
  public:
    /// Calls the function unless an earlier call succeeded; waits for one that is in progress. An exception from the
    /// function is passed on, and the next call tries again.
    template <class F>
    void call(F&& function) {
        if (done_.load(std::memory_order_acquire)) return;
        const Lock lock(mutex_);
        if (done_.load(std::memory_order_relaxed)) return;
        std::forward<F>(function)();
        done_.store(true, std::memory_order_release);
    }

  private:
    Mutex mutex_;
    std::atomic<bool> done_{false};
};

}  // namespace zetl
