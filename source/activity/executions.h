// Commands under way: when a command's event shows that it has ended, its time span is reported.
#pragma once

#include <ze_tools_layer/device_activity.h>

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "activity/command_times.h"
#include "activity/device_clock.h"
#include "activity/event_store.h"
#include "activity/kept_times.h"
#include "activity/level_zero.h"

namespace zetl::activity {

/// An appended command, and the event that it signals, or the tag by which the driver records it.
struct Command {
    ze_event_handle_t event = nullptr;  ///< null if there is a tag
    EventStore* store = nullptr;        ///< the owner of the event; null: the application
    Work work = Work::kernel;
    std::uint32_t kernel = 0;
    std::uint64_t bytes = 0;
    std::uint64_t appended = 0;
    LaunchShape shape;
    std::uint64_t tag = 0;  ///< 0: none
};

/// One execution of a command. Its place does not change until it is over and has been read.
struct Execution {
    Command command;
    std::uint64_t submitted = 0;  ///< Sink::call()
    std::uint64_t time = 0;       ///< of its submission, in nanoseconds of the host's clock
    bool givesBack = false;       ///< the event belongs to this execution alone
    bool over = false;
    bool kept = false;  ///< the event is that of another execution by now, so there is none here

    /// True if nothing looks it up by its event, since the application does not know the event.
    bool isNameless() const noexcept { return givesBack && command.store; }
};

/// The host's time, read once, when it is first needed.
class Moment {
  public:
    std::uint64_t time() noexcept;

  private:
    std::uint64_t time_ = 0;
};

struct DeviceState {
    ze_device_handle_t handle = nullptr;
    bool recorded = false;  ///< the driver records kernels, copies and fills
    DeviceClock clock;
};

struct StreamState {
    Stream facts;
    DeviceState* device = nullptr;
    bool synchronous = false;  ///< commands are over when the call that submits them returns
    bool told = false;
    std::deque<Execution> executions;  ///< in the order of their submission; those that signal events
    std::size_t recorded = 0;          ///< executions that the driver records, whose times have not come
    bool closed = false;               ///< it waits for them
};

/// All streams of the process. Not thread-safe.
class Executions {
  public:
    /// With `recorded`, drivers that can shall record the times of commands.
    Executions(const LevelZero& calls, Sink& sink, bool recorded)
        : times(calls, recorded), calls_(calls), sink_(sink) {}

    CommandTimes times;

    DeviceState& device(ze_device_handle_t handle);
    StreamState& open(const void* handle, ze_device_handle_t device, const ze_command_queue_desc_t& description,
                      bool immediate);
    /// Reads the complete executions; the others will never be complete.
    void close(StreamState& stream);

    /// Returns false if the end of another execution of the command could not be told apart from the end of the last
    /// one, which has not been read, or has left the event signalled.
    bool ready(const Command& command);
    /// A command is being submitted at `time`, or was. Its event is unsignalled until the command is over.
    void add(StreamState& stream, const Command& command, std::uint64_t submitted, std::uint64_t time, bool givesBack);
    void missed() { sink_.missed(++missing_.commands); }
    /// The times of the execution that will signal the event come from `kept`, and another one may signal the event.
    void keep(ze_event_handle_t event, const std::shared_ptr<KeptTimes>& kept, std::size_t place);
    /// An execution of the command did not begin.
    void withdraw(const Command& command);
    /// The tag of a command that this thread is about to append, until endTag(), which comes after add().
    std::uint64_t beginTag();
    void endTag(std::uint64_t tag);

    enum class Extent { oldest, all };  ///< up to the first execution that is not complete, or all that are complete
    void read(StreamState& stream, Extent extent);
    /// The call that submitted commands to the stream has returned.
    void submitted(StreamState& stream);
    void readAll(Extent extent);
    /// Whether read() would find nothing to read, but for times that a call took beside the device's work.
    bool isReadBesideWork(const StreamState& stream) const noexcept;
    bool isReadBesideWork() const noexcept;
    /// In the place of read() then, and from any thread.
    void idle() noexcept { tookBesideWork_.store(false, std::memory_order_relaxed); }
    /// Reads what is complete when the process, or the collector, ends.
    void readLast();
    /// Reads the event, which is about to lose its state.
    void lastLook(ze_event_handle_t event);
    /// Whether a submitted command that is not over will signal the event.
    bool running(ze_event_handle_t event);
    const Missing& missing() const noexcept { return missing_; }

  private:
    void read(StreamState& stream, Extent extent, Moment& now);
    bool read(StreamState& stream, Execution& execution, Moment& now);
    /// As zeEventQueryKernelTimestamp; SUCCESS once.
    [[gnu::cold, gnu::noinline]] ze_result_t keptTimes(const Execution& execution, ze_kernel_timestamp_result_t& times);
    void tell(StreamState& stream, const Execution& execution, const ze_kernel_timestamp_result_t& times, Moment& now);
    void end(Execution& execution);
    void forget(Execution& execution);
    void drop(StreamState& stream);
    void tellUnread();
    void addRecorded(StreamState& stream, const Execution& execution);
    /// Of the times that the driver has ready, all, or as many as a call of the program may be held up for: reporting
    /// one takes about as long as submitting a command.
    enum class Taken { some, all };
    void takeTimes(Taken taken);
    /// For a call that shows that work is over: takes some, unless a call did since the last one that showed it.
    void takeTimesOnceIdle();
    bool tell(const zetl_command_time_t& time);
    void report(StreamState& stream, const Execution& execution, std::uint64_t begin, std::uint64_t end);

    const LevelZero& calls_;
    Sink& sink_;
    std::map<ze_device_handle_t, DeviceState> devices_;
    std::map<std::uint32_t, StreamState> streams_;
    struct Running {
        StreamState* stream;
        Execution* execution;
    };
    std::unordered_map<ze_event_handle_t, Running> running_;  ///< without the nameless ones
    struct Kept {
        std::shared_ptr<KeptTimes> times;
        std::size_t place;  ///< there
    };
    std::unordered_map<const Execution*, Kept> kept_;
    struct Recorded {
        StreamState* stream;
        Execution execution;
    };
    std::multimap<std::uint64_t, Recorded> recorded_;  ///< by tag, in the order of submission
    std::vector<std::uint64_t> appending_;             ///< tags of commands that threads are appending
    std::vector<zetl_command_time_t> early_;           ///< of those, before their executions were added
    std::unordered_set<std::uint64_t> unclear_;        ///< tags of which nobody knows which execution a time is of
    std::uint64_t lastTag_ = 0;
    std::size_t added_ = 0;                    ///< recorded executions since the last takeTimes()
    std::atomic<bool> tookBesideWork_{false};  ///< since the last takeTimesOnceIdle()
    Missing missing_;                          ///< unread: all that are under way
    std::uint64_t toldUnread_ = 0;
    std::uint32_t lastStream_ = 0;
};

}  // namespace zetl::activity
