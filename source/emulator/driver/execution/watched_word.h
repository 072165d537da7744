// A counter in memory of the application, for which counter-based events wait (core specification, "External
// Synchronization Allocation" and "External Aggregate Storage").
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/mutex.h"
#include "base/result.h"
#include "emulator/driver/execution/signal_state.h"

namespace zetl::emulator::driver {

/// 64 bits that anybody may write: the application, kernels, copies, other processes. Thread-safe.
class WatchedWord : public std::enable_shared_from_this<WatchedWord> {
  public:
    /// Reached from `value` on. Whether the word is the driver's memory is decided here.
    WatchedWord(std::uint64_t address, std::uint64_t value);

    std::uint64_t address() const noexcept { return address_; }
    std::uint64_t value() const noexcept { return value_; }
    /// Now. Lost if the memory is gone.
    SignalState::Value look() const;
    /// A state that is signalled once the word is reached, and lost if its memory goes before. It is watched until then
    /// or until nobody has it any more.
    std::shared_ptr<SignalState> state();
    /// Adds, if the memory is still there; wraps.
    void add(std::uint64_t increment) const;

  private:
    const std::uint64_t address_;
    const std::uint64_t value_;
    /// Then it is gone once it is freed, although its pages, or what is mapped there next, can still be read.
    const bool isOfDriver_;
    Mutex mutex_;
    std::weak_ptr<SignalState> pending_ ZETL_GUARDED_BY(mutex_);
};

/// INVALID_ARGUMENT for a word that is not aligned, or lies in no memory of the driver although it `mustBeAllocated`.
Status checkWatched(std::uint64_t address, bool mustBeAllocated);

}  // namespace zetl::emulator::driver
