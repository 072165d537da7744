// Threads that sleep until another thread calls one of them.
#pragma once

#include <semaphore.h>

#include <cerrno>

namespace zetl {

/// A POSIX semaphore. A call that comes before its sleeper is kept. Unlike behind a condition variable, a thread that
/// wakes takes no mutex. Thread-safe; it may be destroyed when no thread sleeps and no call is under way.
class Semaphore {
  public:
    Semaphore() noexcept { sem_init(&semaphore_, 0, 0); }
    ~Semaphore() { sem_destroy(&semaphore_); }
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;

    /// Wakes one sleeper, or lets the next thread that would sleep go on.
    void call() noexcept { sem_post(&semaphore_); }
    /// Whether there was a call; the caller then need not sleep.
    bool tryToTake() noexcept { return sem_trywait(&semaphore_) == 0; }
    /// Returns once for each call().
    void sleep() noexcept {
        while (sem_wait(&semaphore_) != 0 && errno == EINTR) {
        }
    }

  private:
    sem_t semaphore_;
};

}  // namespace zetl
