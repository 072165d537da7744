// The threads that execute the submissions of streams.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "base/mutex.h"
#include "emulator/driver/execution/signal_state.h"

namespace zetl::emulator::driver {

class Stream;

/// One thread per stream with work, up to kMostWorking threads that do not wait for other streams; further streams take
/// turns. Threads start on demand and end after a second without work. Thread-safe; never destroyed.
class StreamWorkers {
  public:
    static constexpr std::uint32_t kMostWorking = 256;

    static StreamWorkers& instance();

    /// Makes a thread call the stream's serve(), after wake() at the latest. Returns false, and logs the reason, if the
    /// system starts no thread and none is working that could serve the stream later.
    bool call(std::shared_ptr<Stream> stream) noexcept;
    /// Call it without the stream's mutex, for which the thread would wait.
    void wake() noexcept { called_.notify_one(); }
    /// Called in serve() before the stream may call again: this thread is about to look for a stream, so that no other
    /// thread need be started.
    void comesBack() noexcept { searching_.fetch_add(1, std::memory_order_relaxed); }

    /// While a worker waits for another stream or the host, another thread may work in its place. Does nothing in other
    /// threads.
    class Away {
      public:
        Away() noexcept;
        ~Away();
        Away(const Away&) = delete;
        Away& operator=(const Away&) = delete;

        /// The event's value once it has one. If the system starts no thread in this one's place, this one executes
        /// what other streams have that waits for nothing: the event may be theirs.
        SignalState::Value wait(SignalState& event) noexcept;

      private:
        bool replaced_ = true;
    };

  private:
    static constexpr std::uint32_t kMostIdle = 16;

    /// Makes sure that ready streams are served: by idle or searching threads, by working ones if there are enough of
    /// them, or else by a new thread.
    bool provide() noexcept ZETL_REQUIRES(mutex_);
    void work() noexcept;
    std::shared_ptr<Stream> next() noexcept ZETL_REQUIRES(mutex_);
    bool handOver(std::shared_ptr<Stream>& stream) noexcept;
    bool awaitCall(Lock& lock) ZETL_REQUIRES(mutex_);
    /// Returns false if streams are ready and no thread will serve them.
    bool leave() noexcept;
    /// The same for a thread that left before. If it is false, executes some of what is ready and waits for nothing.
    bool replace() noexcept;
    std::shared_ptr<Stream> readyStream(std::size_t index) noexcept;
    void resume() noexcept;

    Mutex mutex_;
    Condition called_;
    std::deque<std::shared_ptr<Stream>> ready_ ZETL_GUARDED_BY(mutex_);
    std::uint32_t idle_ ZETL_GUARDED_BY(mutex_) = 0;
    std::uint32_t working_ ZETL_GUARDED_BY(mutex_) = 0;  ///< neither idle nor away
    std::atomic<std::uint32_t> searching_{
        0};  ///< of these, threads about to take from `ready_`; decreased under the mutex only
};

}  // namespace zetl::emulator::driver
