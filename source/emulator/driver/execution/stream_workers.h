// The threads that execute what streams have queued.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

#include "base/mutex.h"

namespace zetl::emulator::driver {

class Stream;

/// As many threads as there are streams with work, up to kMostWorking that do not wait for others; more streams take
/// turns. Threads start when they are called for, and leave after a second without work. Thread-safe; never destroyed.
class StreamWorkers {
  public:
    static constexpr std::uint32_t kMostWorking = 256;

    static StreamWorkers& instance();

    /// A thread will call the stream's serve(), after wake() at the latest. False, with a line in the log: the system
    /// gives none, and none is at work that could do it later.
    bool call(std::shared_ptr<Stream> stream) noexcept;
    /// Without the stream's mutex, for which the thread would wait.
    void wake() noexcept { called_.notify_one(); }
    /// From serve(), before the stream may be called for again: this thread will look for another one. To start one
    /// more meanwhile would take longer.
    void comesBack() noexcept { searching_.fetch_add(1, std::memory_order_relaxed); }

    /// While one of these threads waits for what another stream or the host may have to do first, others may work in
    /// its place. Does nothing in other threads.
    class Away {
      public:
        Away() noexcept;
        ~Away();
        Away(const Away&) = delete;
        Away& operator=(const Away&) = delete;
    };

  private:
    static constexpr std::uint32_t kMostIdle = 16;

    /// For the streams that are ready: those who sleep are enough, or others are, or another thread is started.
    bool provide() noexcept ZETL_REQUIRES(mutex_);
    void work() noexcept;
    std::shared_ptr<Stream> next() noexcept ZETL_REQUIRES(mutex_);
    bool handOver(std::shared_ptr<Stream>& stream) noexcept;
    bool awaitCall(Lock& lock) ZETL_REQUIRES(mutex_);
    void leave() noexcept;
    void resume() noexcept;

    Mutex mutex_;
    Condition called_;
    std::deque<std::shared_ptr<Stream>> ready_ ZETL_GUARDED_BY(mutex_);
    std::uint32_t idle_ ZETL_GUARDED_BY(mutex_) = 0;
    std::uint32_t working_ ZETL_GUARDED_BY(mutex_) = 0;  ///< neither idle nor away
    std::atomic<std::uint32_t> searching_{0};  ///< of these, that take from `ready_` next; fewer only with the mutex
};

}  // namespace zetl::emulator::driver
