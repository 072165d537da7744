// A mutex for Clang's thread-safety analysis (-Wthread-safety), which does not know libstdc++'s mutexes. The analysis
// finds data that is touched, and functions that are called, without the mutex that they name. Other compilers ignore
// the annotations.
//
// A lambda is analysed by itself: a lambda that needs the mutex of the function around it must say so, too.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#if defined(__clang__)
#define ZETL_ANALYSED(attribute) __attribute__((attribute))
#else
#define ZETL_ANALYSED(attribute)
#endif

/// On a data member: the mutex must be held to read or write it.
#define ZETL_GUARDED_BY(mutex) ZETL_ANALYSED(guarded_by(mutex))
/// On a function or lambda, behind its parameters: the caller must hold the mutex.
#define ZETL_REQUIRES(mutex) ZETL_ANALYSED(requires_capability(mutex))
/// On a function that the analysis cannot follow; a comment says why.
#define ZETL_NOT_ANALYSED ZETL_ANALYSED(no_thread_safety_analysis)

namespace zetl {

/// A std::mutex. Use Lock to lock it, except where the lock must outlive a scope.
class ZETL_ANALYSED(capability("mutex")) Mutex {
  public:
    void lock() ZETL_ANALYSED(acquire_capability()) { mutex_.lock(); }
    void unlock() ZETL_ANALYSED(release_capability()) { mutex_.unlock(); }
    bool try_lock() ZETL_ANALYSED(try_acquire_capability(true)) { return mutex_.try_lock(); }

  private:
    friend class Condition;
    std::mutex mutex_;
};

/// Holds a mutex as long as it lives, except between its unlock() and lock().
class ZETL_ANALYSED(scoped_lockable) Lock {
  public:
    explicit Lock(Mutex& mutex) ZETL_ANALYSED(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
    /// Does not lock the mutex yet.
    Lock(Mutex& mutex, std::defer_lock_t) ZETL_ANALYSED(locks_excluded(mutex)) : mutex_(mutex), held_(false) {}
    /// Takes over a mutex that try_lock() has locked.
    Lock(Mutex& mutex, std::adopt_lock_t) ZETL_ANALYSED(requires_capability(mutex)) : mutex_(mutex) {}
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
    /// Returns false if another thread has it.
    bool tryLock() ZETL_ANALYSED(try_acquire_capability(true)) {
        held_ = mutex_.try_lock();
        return held_;
    }
    bool held() const noexcept { return held_; }

  private:
    friend class Condition;

    Mutex& mutex_;
    bool held_ = true;
};

/// A std::condition_variable for the mutex that a Lock holds. Pass the condition of a wait as a lambda with
/// ZETL_REQUIRES, or check it in a loop around the wait.
class Condition {
  public:
    void notify_one() noexcept { condition_.notify_one(); }
    void notify_all() noexcept { condition_.notify_all(); }

    void wait(Lock& lock) {
        const Native native(lock);
        condition_.wait(*native);
    }
    template <class Ready>
    void wait(Lock& lock, Ready ready) {
        const Native native(lock);
        condition_.wait(*native, std::move(ready));
    }
    /// Returns false if the time came first.
    template <class Clock, class Duration>
    bool wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time) {
        const Native native(lock);
        return condition_.wait_until(*native, time) == std::cv_status::no_timeout;
    }
    template <class Clock, class Duration, class Ready>
    bool wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time, Ready ready) {
        const Native native(lock);
        return condition_.wait_until(*native, time, std::move(ready));
    }
    template <class Rep, class Period, class Ready>
    bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& time, Ready ready) {
        return wait_until(lock, std::chrono::steady_clock::now() + time, std::move(ready));
    }

  private:
    /// Hands the mutex to the standard library, and takes it back.
    class Native {
      public:
        explicit Native(Lock& lock) : lock_(lock.mutex_.mutex_, std::adopt_lock) {}
        ~Native() { static_cast<void>(lock_.release()); }
        Native(const Native&) = delete;
        Native& operator=(const Native&) = delete;
        std::unique_lock<std::mutex>& operator*() const noexcept { return lock_; }

      private:
        mutable std::unique_lock<std::mutex> lock_;
    };
    std::condition_variable condition_;
};

}  // namespace zetl
