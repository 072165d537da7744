// The traces of a dispatch on their way to the model.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "emulator/machine/model/tile_model.h"

namespace zetl::emulator::machine {

/// Work-groups end in any order; they are replayed in that of their numbers, a batch at a time: twice as many as the
/// tile holds at once. So that traces take no more than about half a GiB, a group may not begin that is two batches
/// ahead, and the trace of a thread is limited. Thread-safe.
class DispatchModel {
  public:
    /// `collecting` is kept until finish(): threads record as long as it lives.
    DispatchModel(TileModel& tile, const GroupNeed& need, std::uint64_t groups, std::shared_ptr<void> collecting);
    DispatchModel(const DispatchModel&) = delete;
    DispatchModel& operator=(const DispatchModel&) = delete;

    /// Whether the group may begin now.
    bool admits(std::uint64_t group) const noexcept;
    /// Where its threads record what they do. Null, and the group is left out: there is no memory.
    std::unique_ptr<GroupTrace> begin(std::uint64_t group) noexcept;
    /// It has ended.
    void end(std::uint64_t group, std::unique_ptr<GroupTrace> trace) noexcept;

    /// Replays the batches that are complete, unless somebody does already. True: further groups may begin. Takes long;
    /// without locks.
    bool advance() noexcept;
    /// The dispatch is over: the same, and returns when nothing is left that can be replayed.
    void finish() noexcept;

    /// What the model found out so far.
    Counts counts() const;

  private:
    using Traces = std::vector<std::unique_ptr<GroupTrace>>;

    std::uint64_t batchAt(std::uint64_t first) const noexcept;
    bool complete() const;
    bool replayNext() noexcept ZETL_REQUIRES(replay_);

    TileModel& tile_;
    const GroupNeed need_;
    const std::uint64_t groups_;
    const std::uint64_t batch_;
    const std::size_t limit_;  ///< words of a thread's trace
    Mutex replay_;
    std::shared_ptr<void> collecting_ ZETL_GUARDED_BY(replay_);
    mutable Mutex mutex_;
    std::atomic<std::uint64_t> replayed_{0};                     ///< groups
    std::atomic<bool> failed_{false};                            ///< for want of memory: the rest is left out
    Traces ended_ ZETL_GUARDED_BY(mutex_);                       ///< by group modulo two batches
    std::uint64_t endedIn_[2] ZETL_GUARDED_BY(mutex_) = {0, 0};  ///< groups of the batch, by its number modulo 2
    Counts counts_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::machine
