// Tracks which submissions of all queues and immediate lists are not done yet.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <set>

#include "base/mutex.h"

namespace zetl::emulator::driver {

/// Numbers submissions as they begin and knows which have not ended. Nobody can know what memory a kernel will touch,
/// so code that must not disturb a kernel waits for all submissions that began before. Thread-safe; never destroyed.
class InFlight {
  public:
    static InFlight& instance();

    std::uint64_t begin();
    void end(std::uint64_t submission) noexcept;

    /// Runs `action` once all submissions that have begun by now have ended: at once, or on a thread that ends a
    /// submission. The action must neither throw nor call back.
    void whenDone(std::function<void()> action);
    /// Blocks until these submissions have ended and such actions have run.
    void wait();

  private:
    struct Waiting {
        std::uint64_t last;  ///< the latest submission that it waits for
        std::function<void()> action;
    };
    bool doneUpTo(std::uint64_t last) const ZETL_REQUIRES(mutex_) {
        return running_.empty() || *running_.begin() > last;
    }

    Mutex mutex_;
    Condition changed_;
    std::uint64_t last_ ZETL_GUARDED_BY(mutex_) = 0;
    std::set<std::uint64_t> running_ ZETL_GUARDED_BY(mutex_);
    std::list<Waiting> waiting_ ZETL_GUARDED_BY(mutex_);
    std::uint32_t acting_ ZETL_GUARDED_BY(mutex_) = 0;  ///< threads that run actions
};

}  // namespace zetl::emulator::driver
