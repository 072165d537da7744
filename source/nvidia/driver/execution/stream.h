// The CUDA stream behind a command queue or an immediate list.
#pragma once

#include <cuda.h>

#include <atomic>
#include <deque>
#include <memory>

#include "base/mutex.h"
#include "base/result.h"
#include "nvidia/cuda/current.h"
#include "nvidia/driver/device/context.h"
#include "nvidia/driver/execution/command.h"
#include "nvidia/driver/execution/patience.h"

namespace zetl::nvidia {

/// Work in the order of its submission, beside all other streams.
///
/// A command that waits for an event is passed to CUDA only when the signalling command has been passed to CUDA, or the
/// host has signalled; until then it and the commands behind it are kept here. CUDA maps streams onto few hardware
/// channels, and a command that waited there for later work would hold up others, perhaps the signalling one.
///
/// Destroying it does not disturb submitted work. Thread-safe; held by shared_ptr.
class Stream : public std::enable_shared_from_this<Stream> {
  public:
    /// `priority` as in ze_command_queue_desc_t.
    static Result<std::shared_ptr<Stream>> create(std::shared_ptr<Context> context, Context::Member place,
                                                  ze_command_queue_priority_t priority);
    Stream(std::shared_ptr<Context> context, Context::Member place, CUstream stream)
        : context_(std::move(context)), place_(std::move(place)), stream_(stream) {}
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    /// Submits one command. `work(stream)` submits it now; `later()` returns a function that does the same later.
    /// DEVICE_LOST and other errors may come from commands that were kept before.
    template <class Work, class Later>
    Status submit(const CommandEvents& events, Submission submission, Work&& work, Later&& later);
    /// Submits recorded commands.
    Status submit(const CommandSequence& commands);

    /// SUCCESS, NOT_READY (time is over) or DEVICE_LOST.
    Status synchronize(std::uint64_t nanoseconds);

    /// Submits kept commands that may go now. Returns true if there were any.
    bool advance();
    bool keepsCommands();

  private:
    Status submitOrKeep(const Command& command) ZETL_REQUIRES(mutex_);
    /// The same with events of this execution.
    Status submitRenewed(const Command& command) ZETL_REQUIRES(mutex_);
    /// Call it after a submission, outside the lock: remembers this stream if it keeps commands, and lets others go on.
    Status settle(Status status, bool kept, bool signalled);
    Status queryAll();

    const std::shared_ptr<Context> context_;
    const Context::Member place_;
    const CUstream stream_;
    Mutex mutex_;
    Backlog backlog_ ZETL_GUARDED_BY(mutex_);
    std::deque<Command> kept_ ZETL_GUARDED_BY(mutex_);
    Status failure_ ZETL_GUARDED_BY(mutex_) = ZE_RESULT_SUCCESS;  ///< of a kept command, until it is reported
};

/// Lets every stream that keeps commands go on. Call it when an event is signalled, or its signal is submitted.
void advanceStreams();

template <class Work, class Later>
Status Stream::submit(const CommandEvents& events, Submission submission, Work&& work, Later&& later) {
    Status status = ZE_RESULT_SUCCESS;
    bool kept = false;
    {
        const Lock guard(mutex_);
        kept = !kept_.empty() || !events.ready();
        if (kept) {
            kept_.push_back({events, later(), submission});
        } else {
            const Current current(place_.work->context);
            status = nvidia::submit(stream_, backlog_, events, work, submission);
        }
    }
    return settle(status, kept, events.signal != nullptr);
}

}  // namespace zetl::nvidia
