// The mutex of a machine's turns, as Clang's thread-safety analysis (base/mutex.h) can follow it.
#pragma once

#include <emmintrin.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "base/mutex.h"
#include "base/semaphore.h"

namespace zetl::emulator::machine {

/// The name of that mutex in annotations. Scheduler, tiles and thread control come to one and the same by different
/// ways, which the analysis would take for different ones.
struct ZETL_ANALYSED(capability("mutex")) Turns {};
inline constexpr Turns kTurns;

/// Guards the queues of work-groups that want a turn, and placement, residency and stops of all tiles. The scheduler
/// has it. Before any other lock.
class TurnMutex {
  public:
    /// One that sleeps wakes, or the next one does not, when the mutex is released: it would find it taken now. Where
    /// many are called those that wake call others, at their own releases, so that all are awake sooner.
    void call() noexcept ZETL_REQUIRES(kTurns) { ++calls_; }
    /// Without the mutex, until called.
    void sleep() noexcept { sleepers_.sleep(); }

  private:
    friend class TurnLock;
    static constexpr std::uint32_t kCallsOfOne = 2;

    /// What others look at while they wait: if they tried the mutex, its line would leave the processor that has it.
    alignas(64) std::atomic<bool> taken_{false};
    alignas(64) Mutex mutex_;
    std::uint32_t calls_ = 0;  // that nobody has passed on; guarded by mutex_
    Semaphore sleepers_;
};

/// Holds it as long as it lives, but for the time between its unlock() and lock().
class ZETL_ANALYSED(scoped_lockable) TurnLock {
  public:
    explicit TurnLock(TurnMutex& mutex) ZETL_ANALYSED(acquire_capability(kTurns)) ZETL_NOT_ANALYSED
        : turns_(mutex),
          lock_(mutex.mutex_, std::defer_lock) {
        lock();
    }
    ~TurnLock() ZETL_ANALYSED(release_capability()) ZETL_NOT_ANALYSED {
        if (lock_.held()) unlock();
    }
    TurnLock(const TurnLock&) = delete;
    TurnLock& operator=(const TurnLock&) = delete;

    void unlock() ZETL_ANALYSED(release_capability()) ZETL_NOT_ANALYSED {
        const std::uint32_t calls = std::min(turns_.calls_, TurnMutex::kCallsOfOne);
        turns_.calls_ -= calls;
        turns_.taken_.store(false, std::memory_order_relaxed);
        lock_.unlock();
        for (std::uint32_t i = 0; i < calls; ++i) turns_.sleepers_.call();
    }
    void lock() ZETL_ANALYSED(acquire_capability()) ZETL_NOT_ANALYSED {
        if (!lock_.tryLock() && !watch()) lock_.lock();
        turns_.taken_.store(true, std::memory_order_relaxed);
    }
    /// For a Condition to wait with.
    Lock& waiting() noexcept {
        turns_.taken_.store(false, std::memory_order_relaxed);
        return lock_;
    }

  private:
    /// All hold it for microseconds, and workers of a launch end all at once: sixteen that slept took 0.2 ms to leave,
    /// one woken by the other. Gives way to others: the one that has it may want this processor. False: it took too
    /// long.
    bool watch() ZETL_NOT_ANALYSED {
        constexpr std::chrono::microseconds kPatience{100};
        constexpr int kLooks = 16;  // about a microsecond
        const auto end = std::chrono::steady_clock::now() + kPatience;
        do {
            for (int look = 0; look < kLooks; ++look) {
                if (!turns_.taken_.load(std::memory_order_relaxed) && lock_.tryLock()) return true;
                _mm_pause();
            }
            std::this_thread::yield();
        } while (std::chrono::steady_clock::now() < end);
        return false;
    }

    TurnMutex& turns_;
    Lock lock_;
};

}  // namespace zetl::emulator::machine
