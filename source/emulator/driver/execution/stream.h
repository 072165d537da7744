// The execution behind a command queue or an immediate list: submissions in order, each on some thread.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "emulator/driver/execution/command_checks.h"
#include "emulator/driver/execution/operation.h"
#include "emulator/driver/execution/pending_resets.h"
#include "emulator/driver/execution/work_order.h"

namespace zetl::emulator::driver {

struct Engine;

/// Executes submissions one after the other, beside all other streams; of one engine, PendingResets has an order. The
/// threads of StreamWorkers execute what is submitted without waiting. A thread that waits without a limit, and has
/// enough stack, executes what no thread has begun, because waking another thread takes several times as long as a
/// small launch. After a fault the stream is lost: remaining and later submissions are not executed, and their signals
/// are marked as lost. Thread-safe; held by shared_ptr.
class Stream : public std::enable_shared_from_this<Stream> {
  public:
    enum class Use { queue, immediateList };
    Stream(const Engine& engine, Use use);
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    /// Queues the sequences and returns their number, from 1; `done` is signalled after the last. Succeeds once they
    /// are queued, however soon they fail: the next call reports that. DEVICE_LOST if the stream was lost before, and
    /// OUT_OF_HOST_MEMORY if no worker thread can be started; nothing is queued then.
    Result<std::uint64_t> submit(std::vector<std::shared_ptr<const CommandSequence>> sequences,
                                 std::shared_ptr<SignalState> done = nullptr);
    /// The same, and waits for the end of these sequences.
    Status submitAndWait(std::vector<std::shared_ptr<const CommandSequence>> sequences,
                         std::shared_ptr<SignalState> done = nullptr);

    /// Waits until everything submitted so far is done. SUCCESS, NOT_READY (time is over) or DEVICE_LOST.
    Status synchronize(std::uint64_t nanoseconds);
    /// Called by a thread that waits without a limit for a signal of the submission of that number or an earlier one.
    /// Executes earlier submissions in that thread, as long as no other thread executes them and they wait for no
    /// event. The signal may still be pending afterwards.
    void helpUntil(const SignalState& signal, std::uint64_t number);
    /// The same of all submissions, for a thread of StreamWorkers that waits and in whose place none could be started.
    void helpWithAll();

    /// Called by a thread of StreamWorkers: executes some of the waiting submissions. Returns false if none remains;
    /// the stream then calls for a thread again when it needs one.
    bool serve(machine::Quiescence::Reader& reader);

  private:
    struct Submission {
        std::vector<std::shared_ptr<const CommandSequence>> sequences;
        std::shared_ptr<SignalState> done;
        bool attended = false;     ///< a thread waits and executes it if no other thread does
        std::uint64_t number = 0;  ///< in flight
        CheckedTicket checked = {};
        bool resets = false;  ///< events
        WorkOrder work = {};
    };

    using Sequences = std::vector<std::shared_ptr<const CommandSequence>>;

    Status refuseAsLost(const Sequences& sequences, const std::shared_ptr<SignalState>& done) const
        ZETL_REQUIRES(mutex_);
    Status callWorker(bool& called) ZETL_REQUIRES(mutex_);
    void enqueue(Sequences sequences, std::shared_ptr<SignalState> done, bool attended) ZETL_REQUIRES(mutex_);
    /// Waits until this number of submissions is done.
    Status waitFor(std::uint64_t target, std::uint64_t nanoseconds);
    /// The same without a limit; looks now and then whether anything can end the wait.
    void waitLooking(std::uint64_t target);

    /// True if no thread executes and a submission waits.
    bool mayTake() const ZETL_REQUIRES(mutex_) { return !executing_ && !waiting_.empty(); }
    /// True if the first submission waits for no event, so that executing it does not depend on other streams.
    bool mayHelp() const ZETL_REQUIRES(mutex_);
    Submission take() ZETL_REQUIRES(mutex_);
    /// True if an unattended submission waits and no thread will execute it. The thread that executed the last one then
    /// continues.
    bool stranded() const ZETL_REQUIRES(mutex_) { return unattended_ > 0 && !scheduled_ && !executing_; }
    /// Executes in the caller's thread until this number of submissions is done.
    void serveUntil(std::uint64_t target);
    /// Executes in the caller's thread as long as that is allowed and `wanted()`, called with the mutex held, is true.
    template <class F>
    void help(F&& wanted);
    void executeTaken(Submission& submission, machine::Quiescence::Reader& reader) noexcept;
    void finish(const Submission& submission, bool completed) noexcept;
    bool lost() const noexcept { return *lost_; }
    void lose();
    /// Executes the commands up to the first that fails and drops the rest. Returns true if none failed.
    bool execute(Submission& submission, machine::Quiescence::Reader& reader) noexcept;
    bool execute(const Command& command, Submission& submission, machine::Quiescence::Reader& reader,
                 CheckedRun& checked);
    bool executeWithinMemory(const Command& command, Submission& submission, machine::Quiescence::Reader& reader,
                             CheckedRun& checked) noexcept;
    bool run(const Operation& operation, Execution& execution, WorkOrder& work);
    /// Waits until the command's events are to be looked at. Returns false if a queue that it waits for is lost.
    bool awaitEvents(const Command& command, Submission& submission) const;
    void number(Submission& submission) ZETL_REQUIRES(mutex_);

    const std::shared_ptr<Device> device_;
    const StreamPlace place_;
    const bool computes_;  ///< its engine does, and copies then, too
    const Use use_;
    check::CommandOrder::Stream order_;
    mutable Mutex mutex_;
    Condition wakeHost_;
    std::deque<Submission> waiting_ ZETL_GUARDED_BY(mutex_);
    std::uint64_t submitted_ ZETL_GUARDED_BY(mutex_) = 0;
    std::uint64_t finished_ ZETL_GUARDED_BY(mutex_) = 0;
    std::uint64_t unattended_ ZETL_GUARDED_BY(mutex_) = 0;  ///< among the waiting ones
    bool scheduled_ ZETL_GUARDED_BY(mutex_) = false;  ///< a thread of StreamWorkers was called, and has not left since
    bool executing_ ZETL_GUARDED_BY(mutex_) = false;  ///< one submission, by whichever thread
    std::atomic<std::uint64_t> worked_{0};  ///< in the time of the timing model: the end of all that it has executed
    const std::shared_ptr<std::atomic<bool>> lost_ =
        std::make_shared<std::atomic<bool>>(false);  ///< set under the mutex
    const Loss loss_ = lost_;
};

}  // namespace zetl::emulator::driver
