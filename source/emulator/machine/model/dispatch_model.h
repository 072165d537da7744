// Passes the traces of a dispatch to the model.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "emulator/machine/model/sample_error.h"
#include "emulator/machine/model/sample_plan.h"
#include "emulator/machine/model/tile_model.h"

namespace zetl::emulator::machine {

/// Work-groups end in any order. They are passed on in the order of their numbers, a batch at a time: twice as many as
/// the tile holds at once. For the model itself a batch's end is nothing: it goes on with the next one where it
/// stopped. So that traces take no more than about half a GiB, a group may not begin if it is two batches ahead, and
/// the trace of a thread is limited. If a tool looks at the stalls while a batch takes long, the work of its groups so
/// far is replayed on trial, so that a kernel is visible before it ends. Thread-safe.
class DispatchModel {
  public:
    /// `collecting` is kept until finish(): threads record as long as it lives.
    DispatchModel(TileModel& tile, const GroupNeed& need, std::uint64_t groups, std::shared_ptr<void> collecting,
                  ModelDetail detail = ModelDetail::full);
    DispatchModel(const DispatchModel&) = delete;
    DispatchModel& operator=(const DispatchModel&) = delete;

    /// It looks at some of the groups only, whose threads run a program that reports.
    bool samples() const noexcept { return detail_ == ModelDetail::sampled; }
    bool follows(std::uint64_t group) const noexcept { return plan_.contains(group); }
    /// The number of groups, of `count` ones from this one on, in front of the first that it follows.
    std::uint64_t unfollowedFrom(std::uint64_t group, std::uint64_t count) const noexcept {
        return plan_.othersFrom(group, count);
    }

    /// Whether the group may begin now.
    bool admits(std::uint64_t group) const noexcept;
    /// Returns the trace in which its threads record. Null, and the group is left out, if there is no memory.
    std::unique_ptr<GroupTrace> begin(std::uint64_t group) noexcept;
    /// The group has ended.
    void end(std::uint64_t group, std::unique_ptr<GroupTrace> trace) noexcept;

    /// Whether a tool has looked, and this group, which goes on, has not offered its trace since then.
    bool asks(std::uint64_t group) const noexcept;
    /// True if only the number of instructions executed since then is wanted: no trace can grow any more.
    bool knowsTraces() const noexcept { return exhausted_.load(std::memory_order_relaxed); }
    /// Words per thread: the first look is a short one, and each look goes twice as far as the one before.
    std::size_t askedWords() const noexcept { return askedWords_.load(std::memory_order_relaxed); }
    /// Offers the group's trace so far; may be null.
    void offer(std::uint64_t group, std::unique_ptr<GroupTrace> soFar) noexcept;

    /// Replays complete batches, and on trial an incomplete one if all its groups have offered their traces, unless
    /// another thread does so already. Returns true if further groups may begin. Takes long; call it without locks.
    bool advance() noexcept;
    /// The dispatch is over: replays complete batches, and returns when nothing is left to replay.
    void finish() noexcept;

    /// The model's counts so far, if the dispatch has executed so much.
    Counts counts(const Executed& executed) const;
    /// Whether a batch that has ended is replayed now or will be next: then counts() will soon be about more.
    bool catchesUp() const;
    /// Nothing was left out because the host had no memory.
    bool isWhole() const noexcept { return !failed_.load(std::memory_order_relaxed); }
    /// Where the threads of all groups spent their cycles, once it is finished. Throws bad_alloc.
    StallsByAddress stalls() const;
    /// The instructions that counts() is about.
    std::uint64_t replayedInstructions() const noexcept { return issued_.load(std::memory_order_acquire); }

  private:
    static constexpr std::size_t kFirstLook = 4096;
    using Traces = std::vector<std::unique_ptr<GroupTrace>>;

    std::uint64_t batchAt(std::uint64_t first) const noexcept;
    bool complete() const;
    bool replayNext() noexcept ZETL_REQUIRES(replay_);
    void replayMore(std::uint64_t batch) ZETL_REQUIRES(replay_);
    void closeReplay() noexcept ZETL_REQUIRES(replay_);
    DispatchReplay& begunReplay() ZETL_REQUIRES(replay_);
    bool previewIsDue() const noexcept;
    bool previewIsPrepared() const;
    void preview() noexcept ZETL_REQUIRES(replay_);
    void lookAt(const std::vector<const GroupTrace*>& groups) ZETL_REQUIRES(replay_);
    void forgetOffers(std::uint64_t looks, std::chrono::nanoseconds pause) noexcept ZETL_REQUIRES(mutex_);
    bool isInBatch(std::uint64_t group) const noexcept;

    std::uint64_t place(std::uint64_t group) const noexcept { return plan_.numberOf(group); }
    std::uint64_t admittedUntil() const noexcept { return replayed_.load(std::memory_order_acquire) + 2 * batch_; }

    TileModel& tile_;
    const ModelDetail detail_;
    const GroupNeed need_;
    const SamplePlan plan_;
    // Groups are numbered among those that it follows from here on.
    const std::uint64_t groups_;
    const std::uint64_t batch_;
    const std::size_t limit_;  ///< words of a thread's trace
    Mutex replay_;
    std::shared_ptr<void> collecting_ ZETL_GUARDED_BY(replay_);
    TileModel::Replay replaying_ ZETL_GUARDED_BY(replay_);  ///< from the first batch on
    std::unordered_map<const GroupTrace*, std::unique_ptr<GroupTrace>> inReplay_ ZETL_GUARDED_BY(replay_);
    mutable Mutex mutex_;
    std::atomic<std::uint64_t> replayed_{0};                     ///< groups that were passed on
    std::atomic<std::uint64_t> issued_{0};                       ///< instructions that were replayed
    std::atomic<std::uint64_t> messages_{0};                     ///< of these
    std::atomic<bool> failed_{false};                            ///< out of memory: the rest is left out
    Traces ended_ ZETL_GUARDED_BY(mutex_);                       ///< by group modulo two batches
    std::uint64_t endedIn_[2] ZETL_GUARDED_BY(mutex_) = {0, 0};  ///< groups of the batch, by its number modulo 2
    std::uint64_t begunIn_[2] ZETL_GUARDED_BY(mutex_) = {0, 0};
    std::map<std::uint64_t, std::shared_ptr<const GroupTrace>> offers_ ZETL_GUARDED_BY(mutex_);  ///< by group
    std::atomic<std::uint64_t> seenLooks_;    ///< the tile's number of looks at the last preview
    std::atomic<std::uint64_t> nextPreview_;  ///< earliest time of the next one, in host nanoseconds
    std::atomic<std::size_t> askedWords_{kFirstLook};
    std::atomic<bool> exhausted_{false};  ///< the last preview reached the end of the batch's traces
    Counts counts_ ZETL_GUARDED_BY(mutex_);
    StallsByAddress stalls_ ZETL_GUARDED_BY(mutex_);
    SampleError error_ ZETL_GUARDED_BY(mutex_);
    SharedLines::Lines linesRead_ ZETL_GUARDED_BY(mutex_);  ///< that L3 did not have
    SharedLines::Lines lines_ ZETL_GUARDED_BY(mutex_);
    KnownLines::Count asked_ ZETL_GUARDED_BY(mutex_);
    Executed weighed_ ZETL_GUARDED_BY(replay_);  ///< that was replayed, without its weights
    std::atomic<bool> finished_{false};
};

}  // namespace zetl::emulator::machine
