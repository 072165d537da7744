// One command of a list: a wait for events, work, a signal.
#pragma once

#include <cuda.h>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "driver/graph_text.h"
#include "nvidia/driver/execution/backlog.h"
#include "nvidia/driver/execution/event.h"
#include "nvidia/driver/execution/stream_order.h"
#include "nvidia/driver/execution/submission.h"

namespace zetl::nvidia {

class RecordedLaunch;

/// The events of an append function, as given by the application.
struct EventUse {
    ze_event_handle_t signal = nullptr;
    std::uint32_t waitCount = 0;
    ze_event_handle_t* waits = nullptr;
};

/// The same, looked up.
struct CommandEvents {
    std::shared_ptr<Event> signal;
    std::vector<std::shared_ptr<Event>> waits;
    std::shared_ptr<StreamOrder> after = {};  ///< null: nothing else is waited for
    std::uint64_t tag = 0;                    ///< submissions::tag() when the command was appended
    std::uint32_t waitPlaces = 0;             ///< how many waits it was appended with

    /// True if every signal that is waited for has come, or comes from work that was submitted.
    bool ready() const noexcept;
    /// Of a recorded command: whether each execution has other ones, which renewed() returns.
    bool areRenewed() const noexcept;
    Result<CommandEvents> renewed() const;
};

/// INVALID_SIZE without a list, INVALID_NULL_HANDLE, INVALID_ARGUMENT for a counter-based event that this kind of list
/// must not signal.
Result<CommandEvents> eventsOf(const EventUse& use, bool immediate = true);
/// The parts of it.
Result<std::vector<std::shared_ptr<Event>>> waitsOf(std::uint32_t count, const ze_event_handle_t* waits, bool immediate,
                                                    bool nullIsNone = false);
Result<std::shared_ptr<Event>> signalOf(ze_event_handle_t signal, bool immediate);

/// Whether CUDA takes the work without waiting for anything; then timestamps can be taken close to it.
enum class Submission { mayWait, never };

/// Submits work between the start and the signal of its event.
template <class Work>
Status submitSignalling(CUstream stream, Backlog& backlog, const CommandEvents& events, Work&& work,
                        Submission submission) {
    Event& event = *events.signal;
    struct Opening {
        const Event& event;
        ~Opening() { event.open(); }
    } opening{event};
    // A command behind other work is submitted long before its turn comes.
    const bool closely = event.hasTimestamps() && submission == Submission::never && !backlog.isLong();
    if (const Status bad = event.appendStart(stream, closely); bad != ZE_RESULT_SUCCESS) return bad;
    if (const Status bad = submissions::submit(events.tag, stream, work); bad != ZE_RESULT_SUCCESS) return bad;
    if (const Status bad = event.appendSignal(stream); bad != ZE_RESULT_SUCCESS) return bad;
    if (event.hasTimestamps()) backlog.mark(stream);
    return ZE_RESULT_SUCCESS;
}

/// Submits work between its waits and its signal. The stream's context is current.
template <class Work>
Status submit(CUstream stream, Backlog& backlog, const CommandEvents& events, Work&& work, Submission submission) {
    if (events.after)
        if (const Status bad = events.after->appendWait(stream); bad != ZE_RESULT_SUCCESS) return bad;
    for (const auto& event : events.waits)
        if (const Status bad = event->appendWait(stream); bad != ZE_RESULT_SUCCESS) return bad;
    return events.signal ? submitSignalling(stream, backlog, events, work, submission)
                         : submissions::submit(events.tag, stream, work);
}

/// What a recorded command does between its waits and its signal.
class RecordedWork {
  public:
    RecordedWork() = default;
    template <class Submit>
    requires std::is_invocable_r_v<Status, const Submit&, CUstream> RecordedWork(Submit submit)
        : submit_(std::move(submit)) {}
    RecordedWork(std::shared_ptr<const RecordedLaunch> launch);

    Status operator()(CUstream stream) const { return submit_(stream); }
    /// Null if it launches no kernel.
    const std::shared_ptr<const RecordedLaunch>& launch() const noexcept { return launch_; }

  private:
    std::shared_ptr<const RecordedLaunch> launch_;
    std::function<Status(CUstream)> submit_;
};

/// A recorded command. Keeps its events and the objects that its work names alive.
struct Command {
    /// What a graph that records the command needs to know.
    struct Node {
        bool isWork = false;       ///< a launch, a copy, a call of the host; false for what only orders or looks
        bool captured = false;     ///< CUDA can make a node of it, if it knows the memory of a copy:
        const void* to = nullptr;  ///< null if CUDA need not know it
        const void* from = nullptr;
        std::shared_ptr<Event> resets = {};
        driver::GraphDetails details = {};  ///< for dumps
    };

    CommandEvents events;
    RecordedWork work;
    Submission submission = Submission::mayWait;
    Node node = {};
};

using CommandSequence = std::vector<Command>;

/// The work of a command that only waits and signals.
inline Status noWork(CUstream) noexcept { return ZE_RESULT_SUCCESS; }

}  // namespace zetl::nvidia
