// The mutex of a machine's turns, as Clang's thread-safety analysis (base/mutex.h) can follow it.
#pragma once

#include "base/mutex.h"

namespace zetl::emulator::machine {

/// The name of that mutex in annotations. Scheduler, tiles and thread control come to one and the same by different
/// ways, which the analysis would take for different ones.
struct ZETL_ANALYSED(capability("mutex")) Turns {};
inline constexpr Turns kTurns;

/// Guards the queues of work-groups that want a turn, and placement, residency and stops of all tiles. The scheduler
/// has it. Before any other lock.
class TurnMutex {
    friend class TurnLock;
    Mutex mutex_;
};

/// Holds it as long as it lives, but for the time between its unlock() and lock().
class ZETL_ANALYSED(scoped_lockable) TurnLock {
  public:
    explicit TurnLock(TurnMutex& mutex) ZETL_ANALYSED(acquire_capability(kTurns)) ZETL_NOT_ANALYSED
        : lock_(mutex.mutex_, std::defer_lock) {
        lock_.lockWithin(kPatience);
    }
    ~TurnLock() ZETL_ANALYSED(release_capability()) {}
    TurnLock(const TurnLock&) = delete;
    TurnLock& operator=(const TurnLock&) = delete;

    void unlock() ZETL_ANALYSED(release_capability()) ZETL_NOT_ANALYSED { lock_.unlock(); }
    void lock() ZETL_ANALYSED(acquire_capability()) ZETL_NOT_ANALYSED { lock_.lockWithin(kPatience); }
    /// For a Condition to wait with.
    Lock& waiting() noexcept { return lock_; }

  private:
    /// Workers of a launch end all at once: sixteen that slept took 0.2 ms to leave, one woken by the other.
    static constexpr std::chrono::microseconds kPatience{100};

    Lock lock_;
};

}  // namespace zetl::emulator::machine
