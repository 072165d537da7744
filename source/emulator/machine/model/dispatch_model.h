// The traces of a dispatch on their way to the model.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "emulator/machine/model/tile_model.h"

namespace zetl::emulator::machine {

/// Work-groups end in any order; they are replayed in that of their numbers, a batch at a time: twice as many as the
/// tile holds at once. So that traces take no more than about half a GiB, a group may not begin that is two batches
/// ahead, and the trace of a thread is limited. If somebody looks at the stalls while a batch takes long, what its
/// groups have done so far is replayed on trial: a kernel need not end to be seen. Thread-safe.
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

    /// Whether somebody looked, and this group, which goes on, has not offered what it did since.
    bool asks(std::uint64_t group) const noexcept;
    /// Only how much was executed since is asked for: nobody's trace can grow.
    bool knowsTraces() const noexcept { return exhausted_.load(std::memory_order_relaxed); }
    /// Of a thread: the first look is a short one, and each goes twice as far as the one before.
    std::size_t askedWords() const noexcept { return askedWords_.load(std::memory_order_relaxed); }
    /// What it did so far; may be null.
    void offer(std::uint64_t group, std::unique_ptr<GroupTrace> soFar) noexcept;

    /// Replays the batches that are complete, and on trial one that is not, if all its groups have offered what they
    /// did, unless somebody does already. True: further groups may begin. Takes long; without locks.
    bool advance() noexcept;
    /// The dispatch is over: replays what is complete, and returns when nothing is left.
    void finish() noexcept;

    /// What the model found out so far.
    Counts counts() const;

  private:
    static constexpr std::size_t kFirstLook = 4096;
    using Traces = std::vector<std::unique_ptr<GroupTrace>>;

    std::uint64_t batchAt(std::uint64_t first) const noexcept;
    bool complete() const;
    bool replayNext() noexcept ZETL_REQUIRES(replay_);
    bool previewIsDue() const noexcept;
    bool previewIsPrepared() const;
    void preview() noexcept ZETL_REQUIRES(replay_);
    void lookAt(std::uint64_t first, const std::vector<const GroupTrace*>& groups) ZETL_REQUIRES(replay_);
    void forgetOffers(std::uint64_t looks, std::chrono::nanoseconds pause) noexcept ZETL_REQUIRES(mutex_);
    bool isInBatch(std::uint64_t group) const noexcept;
    std::unique_ptr<GroupTrace> takeSpare() noexcept;
    void keep(Traces traces) noexcept;

    TileModel& tile_;
    const GroupNeed need_;
    const std::uint64_t groups_;
    const std::uint64_t batch_;
    const std::size_t limit_;  ///< words of a thread's trace
    Mutex replay_;
    std::shared_ptr<void> collecting_ ZETL_GUARDED_BY(replay_);
    mutable Mutex mutex_;
    std::atomic<std::uint64_t> replayed_{0};                     ///< groups
    std::atomic<bool> failed_{false};                            ///< out of memory: the rest is left out
    Traces ended_ ZETL_GUARDED_BY(mutex_);                       ///< by group modulo two batches
    Traces spare_ ZETL_GUARDED_BY(mutex_);                       ///< of groups that were replayed, for others
    std::uint64_t endedIn_[2] ZETL_GUARDED_BY(mutex_) = {0, 0};  ///< groups of the batch, by its number modulo 2
    std::uint64_t begunIn_[2] ZETL_GUARDED_BY(mutex_) = {0, 0};
    std::map<std::uint64_t, std::shared_ptr<const GroupTrace>> offers_ ZETL_GUARDED_BY(mutex_);  ///< by group
    std::atomic<std::uint64_t> seenLooks_;    ///< of the tile, for which the last preview was
    std::atomic<std::uint64_t> nextPreview_;  ///< not before, host nanoseconds
    std::atomic<std::size_t> askedWords_{kFirstLook};
    std::atomic<bool> exhausted_{false};  ///< the last preview came to the end of the batch's traces
    Counts counts_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::machine
