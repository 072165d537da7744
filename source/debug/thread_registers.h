// The debugger's memory of the thread that it looked at last.
#pragma once

#include <optional>

#include "base/mutex.h"
#include "debug/register_snapshot.h"

namespace zetl::debug {

/// Registers of a thread that stands still change only by its debugger, so that what was read of it holds until then.
/// Thread-safe.
class ThreadRegisters {
  public:
    /// Each request for registers has a ticket. Registers that arrive for a ticket other than the newest are too old to
    /// keep.
    using Ticket = std::uint64_t;
    Ticket ticket() const;
    void keep(const zetl_thread_t& thread, RegisterSnapshot snapshot, Ticket ticket);
    /// Before and after whatever lets the thread run.
    void forget();
    /// Before and after a write: how many registers the thread has, it has still.
    void forgetValues();

    std::optional<std::uint32_t> count(const zetl_thread_t& thread, std::uint32_t type) const;
    /// False if they are not known.
    bool read(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first, std::uint32_t count,
              std::uint64_t bytes, void* values) const;

  private:
    bool isOf(const zetl_thread_t& thread) const ZETL_REQUIRES(mutex_);

    mutable Mutex mutex_;
    Ticket newest_ ZETL_GUARDED_BY(mutex_) = 0;
    zetl_thread_t thread_ ZETL_GUARDED_BY(mutex_){};
    bool current_ ZETL_GUARDED_BY(mutex_) = false;
    std::optional<RegisterSnapshot> snapshot_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::debug
