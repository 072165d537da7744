// The mutex of a machine's turns, for Clang's thread-safety analysis (base/mutex.h).
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

/// The name of that mutex in annotations. Scheduler, tiles and thread control reach the same mutex in different ways,
/// which the analysis would take for different mutexes.
struct ZETL_ANALYSED(capability("mutex")) Turns {};
inline constexpr Turns kTurns;

/// Guards the queues of work-groups that want a turn, and placement, residency and stops of all tiles. The scheduler
/// owns it. Lock it before any other lock.
class TurnMutex {
  public:
    /// When the mutex is released, wakes one sleeper, or keeps the next thread from sleeping; now the sleeper would
    /// find the mutex taken. If many are called, those that wake call others when they release it, so that all wake
    /// sooner.
    void call() noexcept ZETL_REQUIRES(kTurns) { ++calls_; }
    /// Sleeps, without the mutex, until called. A thread that sleeps runs tens of microseconds after its call, and the
    /// caller takes some, too. So it first looks for the call as long as `patience` says.
    void sleep(std::chrono::microseconds patience) noexcept {
        const auto wasCalled = [this] { return sleepers_.tryToTake(); };
        if (patience == patience.zero() || !look(wasCalled, patience)) sleepers_.sleep();
    }

  private:
    friend class TurnLock;
    static constexpr std::uint32_t kCallsOfOne = 2;

    /// Looks until the condition holds. Yields to other threads, since the one that makes it so may need this
    /// processor. Returns false if it took too long.
    template <class Condition>
    static bool look(Condition&& holds, std::chrono::microseconds patience) noexcept {
        constexpr int kLooks = 16;  // about a microsecond
        const auto end = std::chrono::steady_clock::now() + patience;
        do {
            for (int looks = 0; looks < kLooks; ++looks) {
                if (holds()) return true;
                _mm_pause();
            }
            std::this_thread::yield();
        } while (std::chrono::steady_clock::now() < end);
        return false;
    }

    /// Read by waiting threads: if they tried to lock the mutex, its cache line would leave the processor that has it.
    alignas(64) std::atomic<bool> taken_{false};
    alignas(64) Mutex mutex_;
    std::uint32_t calls_ = 0;  // calls that were not passed on yet; guarded by mutex_
    Semaphore sleepers_;
};

/// Holds the mutex as long as it lives, except between its unlock() and lock().
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
    /// For a Condition to wait on.
    Lock& waiting() noexcept {
        turns_.taken_.store(false, std::memory_order_relaxed);
        return lock_;
    }

  private:
    /// All threads hold the mutex for microseconds, and the workers of a launch end at the same time: when they slept,
    /// sixteen of them took 0.2 ms to leave, each woken by the one before.
    bool watch() ZETL_NOT_ANALYSED {
        constexpr std::chrono::microseconds kPatience{100};
        const auto isMine = [this]() ZETL_NOT_ANALYSED {
            return !turns_.taken_.load(std::memory_order_relaxed) && lock_.tryLock();
        };
        return TurnMutex::look(isMine, kPatience);
    }

    TurnMutex& turns_;
    Lock lock_;
};

}  // namespace zetl::emulator::machine
