// How much memory the program has allocated.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/mutex.h"

namespace zetl::failure {

/// Every function may be called from any thread.
class MemoryInUse {
  public:
    /// Counts the bytes of an allocation that is about to be made, unless there would be more than `limit`.
    bool reserve(std::uint64_t bytes, std::uint64_t limit) noexcept;
    /// Of an allocation that failed.
    void unreserve(std::uint64_t bytes) noexcept;
    /// Of an allocation that was made: its bytes count until it is taken.
    void keep(const void* pointer, std::uint64_t bytes) noexcept;
    /// Before the memory is freed, since the driver may give the address to another thread at once: no longer counts
    /// the bytes, and returns them; 0 for memory that was not kept.
    std::uint64_t take(const void* pointer) noexcept;

    // Around a fork: beforeFork() locks, afterFork() unlocks in either process.
    void beforeFork() ZETL_NOT_ANALYSED { mutex_.lock(); }
    void afterFork() ZETL_NOT_ANALYSED { mutex_.unlock(); }

  private:
    Mutex mutex_;
    std::uint64_t bytes_ ZETL_GUARDED_BY(mutex_) = 0;
    std::unordered_map<const void*, std::uint64_t> allocations_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::failure
