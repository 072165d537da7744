// The debugger's copy of the registers of the thread that it last looked at.
#pragma once

#include <optional>

#include "base/mutex.h"
#include "debug/register_snapshot.h"

namespace zetl::debug {

/// Only its debugger changes the registers of a stopped thread, so values that were read are valid until then.
/// Thread-safe.
class ThreadRegisters {
  public:
    /// Each request for registers has a ticket. Registers that arrive for a ticket other than the newest are too old to
    /// keep.
    using Ticket = std::uint64_t;
    Ticket ticket() const;
    void keep(const zetl_thread_t& thread, RegisterSnapshot snapshot, Ticket ticket);
    /// Call it before and after every call that lets the thread run.
    void forget();
    /// Call it before and after a write: the number of the thread's registers does not change.
    void forgetValues();

    std::optional<std::uint32_t> count(const zetl_thread_t& thread, std::uint32_t type) const;
    /// Returns false if they are not known.
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
