// One command of a list: a wait for events, work, a signal.
#pragma once

#include <cuda.h>

#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "nvidia/driver/execution/backlog.h"
#include "nvidia/driver/execution/event.h"

namespace zetl::nvidia {

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

    /// True if every signal that is waited for has come, or comes from work that was submitted.
    bool ready() const noexcept;
};

/// INVALID_SIZE without a list, INVALID_NULL_HANDLE.
Result<CommandEvents> eventsOf(const EventUse& use);

/// Whether CUDA takes the work without waiting for anything; then timestamps can be taken close to it.
enum class Submission { mayWait, never };

/// Submits work between the start and the signal of its event.
template <class Work>
Status submitSignalling(CUstream stream, Backlog& backlog, Event& event, Work&& work, Submission submission) {
    struct Opening {
        const Event& event;
        ~Opening() { event.open(); }
    } opening{event};
    // A command behind other work is submitted long before its turn comes.
    const bool closely = event.hasTimestamps() && submission == Submission::never && !backlog.isLong();
    if (const Status bad = event.appendStart(stream, closely); bad != ZE_RESULT_SUCCESS) return bad;
    if (const Status bad = work(stream); bad != ZE_RESULT_SUCCESS) return bad;
    if (const Status bad = event.appendSignal(stream); bad != ZE_RESULT_SUCCESS) return bad;
    if (event.hasTimestamps()) backlog.mark(stream);
    return ZE_RESULT_SUCCESS;
}

/// Submits work between its waits and its signal. The stream's context is current.
template <class Work>
Status submit(CUstream stream, Backlog& backlog, const CommandEvents& events, Work&& work, Submission submission) {
    for (const auto& event : events.waits)
        if (const Status bad = event->appendWait(stream); bad != ZE_RESULT_SUCCESS) return bad;
    return events.signal ? submitSignalling(stream, backlog, *events.signal, work, submission) : work(stream);
}

/// A recorded command. Keeps its events and the objects that its work names alive.
struct Command {
    CommandEvents events;
    std::function<Status(CUstream)> work;
    Submission submission = Submission::mayWait;
};

using CommandSequence = std::vector<Command>;

}  // namespace zetl::nvidia
