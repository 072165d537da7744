// Threads that sleep until somebody calls one of them.
#pragma once

#include <semaphore.h>

#include <cerrno>

namespace zetl {

/// POSIX's: a call that comes before its sleeper is kept, and who is woken takes no mutex for that, as behind a
/// condition variable. Thread-safe; destroyed when nobody sleeps and no call is under way.
class Semaphore {
  public:
    Semaphore() noexcept { sem_init(&semaphore_, 0, 0); }
    ~Semaphore() { sem_destroy(&semaphore_); }
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;

    /// Wakes one, or lets the next one go on that would sleep.
    void call() noexcept { sem_post(&semaphore_); }
    /// Returns once for each call.
    void sleep() noexcept {
        while (sem_wait(&semaphore_) != 0 && errno == EINTR) {
        }
    }

  private:
    sem_t semaphore_;
};

}  // namespace zetl
