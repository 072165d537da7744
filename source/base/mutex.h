// A mutex that Clang's thread-safety analysis knows (-Wthread-safety), as it does not know libstdc++'s: it finds data
// touched, and functions called, without the mutex that they name. Other compilers see nothing of it.
//
// A lambda is analysed by itself: one that needs the mutex of the function around it says so, too.
#pragma once

#include <mutex>

#if defined(__clang__)
#define ZETL_ANALYSED(attribute) __attribute__((attribute))
#else
#define ZETL_ANALYSED(attribute)
#endif

/// On a data member: to be read and written with the mutex held only.
#define ZETL_GUARDED_BY(mutex) ZETL_ANALYSED(guarded_by(mutex))
/// On a function or lambda, behind its parameters: to be called with the mutex held.
#define ZETL_REQUIRES(mutex) ZETL_ANALYSED(requires_capability(mutex))
/// On a function that the analysis cannot follow; a comment says why.
#define ZETL_NOT_ANALYSED ZETL_ANALYSED(no_thread_safety_analysis)

namespace zetl {

/// std::mutex. Locked by Lock, but for what must outlive a scope.
class ZETL_ANALYSED(capability("mutex")) Mutex {
  public:
    void lock() ZETL_ANALYSED(acquire_capability()) { mutex_.lock(); }
    void unlock() ZETL_ANALYSED(release_capability()) { mutex_.unlock(); }

  private:
    std::mutex mutex_;
};

/// Holds a mutex as long as it lives, but for the time between its unlock() and lock().
class ZETL_ANALYSED(scoped_lockable) Lock {
  public:
    explicit Lock(Mutex& mutex) ZETL_ANALYSED(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
    ~Lock() ZETL_ANALYSED(release_capability()) {
        if (held_) mutex_.unlock();
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    void unlock() ZETL_ANALYSED(release_capability()) {
        mutex_.unlock();
        held_ = false;
    }
    void lock() ZETL_ANALYSED(acquire_capability()) {
        mutex_.lock();
        held_ = true;
    }

  private:
    Mutex& mutex_;
    bool held_ = true;
};

}  // namespace zetl
