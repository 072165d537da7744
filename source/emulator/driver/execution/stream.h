// The execution behind a command queue or an immediate list: submissions in order, on a worker of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "emulator/driver/execution/operation.h"

namespace zetl::emulator::driver {

/// Executes submissions one after the other, beside all other streams. The worker thread starts with the first
/// submission, sleeps while there is nothing to do, and goes away after a second of that. After a fault the stream is
/// lost: what is left and what comes is not executed, its signals are marked as lost. Whoever waits for his submission
/// anyhow executes it himself if nobody else is at work, without a thread to wake and to wait for. Thread-safe; held by
/// shared_ptr.
class Stream : public std::enable_shared_from_this<Stream> {
  public:
    explicit Stream(std::shared_ptr<Device> device) : device_(std::move(device)) {}
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    /// Queues the sequences and returns; `done` is signalled after the last. SUCCESS once they are queued, however soon
    /// they fail: that is the next call's to tell. DEVICE_LOST if the stream was lost before; nothing is queued then.
    /// OUT_OF_HOST_MEMORY if no worker can be had; nothing is queued then.
    Status submit(std::vector<std::shared_ptr<const CommandSequence>> sequences,
                  std::shared_ptr<SignalState> done = nullptr);
    /// Waits for the end of these as well.
    Status submitAndWait(std::vector<std::shared_ptr<const CommandSequence>> sequences,
                         std::shared_ptr<SignalState> done = nullptr);

    /// Waits until everything submitted so far is done. SUCCESS, NOT_READY (time is over) or DEVICE_LOST.
    Status synchronize(std::uint64_t nanoseconds);

  private:
    struct Submission {
        std::vector<std::shared_ptr<const CommandSequence>> sequences;
        std::shared_ptr<SignalState> done;
        std::uint64_t number = 0;  ///< in flight
    };

    using Sequences = std::vector<std::shared_ptr<const CommandSequence>>;

    Status refuseAsLost(const Sequences& sequences, const std::shared_ptr<SignalState>& done) const
        ZETL_REQUIRES(mutex_);
    bool haveWorker() ZETL_REQUIRES(mutex_);
    /// Waits until so many submissions are done.
    Status waitFor(std::uint64_t target, std::uint64_t nanoseconds);
    void enqueue(Sequences sequences, std::shared_ptr<SignalState> done) ZETL_REQUIRES(mutex_);

    /// Serves until nothing has come for so long.
    void work(std::chrono::milliseconds idleLife);
    /// Serves in the caller's thread until the submission of that count is done; a worker gets what is left, if the
    /// system gives one.
    void workUntil(std::uint64_t own);
    bool nextUntil(std::uint64_t own, Submission& submission);
    /// Takes the next submission; false when the worker is to end.
    bool next(Submission& submission, std::chrono::milliseconds idleLife);
    void finish(const Submission& submission, bool completed) noexcept;
    bool lost() const noexcept { return *lost_; }
    void lose();
    /// Executes the commands up to the first that fails and gives up the rest. True if none failed.
    bool execute(const Submission& submission, machine::Quiescence::Reader& reader) noexcept;
    bool execute(const Command& command, machine::Quiescence::Reader& reader);
    bool executeWithinMemory(const Command& command, machine::Quiescence::Reader& reader) noexcept;

    const std::shared_ptr<Device> device_;
    mutable Mutex mutex_;
    Condition wakeWorker_;
    Condition wakeHost_;
    std::deque<Submission> waiting_ ZETL_GUARDED_BY(mutex_);
    std::uint64_t submitted_ ZETL_GUARDED_BY(mutex_) = 0;
    std::uint64_t finished_ ZETL_GUARDED_BY(mutex_) = 0;
    bool working_ ZETL_GUARDED_BY(mutex_) = false;
    const std::shared_ptr<std::atomic<bool>> lost_ =
        std::make_shared<std::atomic<bool>>(false);  ///< set under the mutex
    const Loss loss_ = lost_;
};

}  // namespace zetl::emulator::driver
