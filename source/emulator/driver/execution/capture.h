// Captures in progress: which immediate lists record what is appended to them, and for which graph (core specification,
// "Record and Replay Graph").
#pragma once

#include <memory>

#include "base/mutex.h"
#include "base/result.h"
#include "emulator/driver/execution/event_use.h"
#include "emulator/driver/execution/graph_record.h"

namespace zetl::emulator::driver {

class CommandList;
class Graph;

/// What a graph knows of its capture.
struct Capture {
    enum class Phase { fresh, recording, paused, closed };

    Phase phase = Phase::fresh;
    GraphRecord record = {};
    bool invalidated = false;  ///< a recording list was destroyed, or the graph while it was recorded
    bool given = false;        ///< the application has its handle
};

/// All functions are thread-safe.
namespace captures {

/// False in a program without graphs, which then pays one load per append.
bool any() noexcept;

/// Lets the list record into the graph. INVALID_ARGUMENT if the list cannot (it is regular, synchronous, or records
/// already), or if the graph has commands or is recorded into.
Status begin(const std::shared_ptr<CommandList>& list, const std::shared_ptr<Graph>& graph);
/// Ends the capture that began on this list, on all of its lists, and returns its graph in `graph`.
/// COMMAND_LIST_NOT_CAPTURING; INVALID_ARGUMENT if another list began it. GRAPH_UNJOINED_FORKS and
/// GRAPH_CAPTURE_INVALIDATED end it, too.
Status end(const CommandList& list, std::shared_ptr<Graph>& graph);
/// Ends the capture into a graph that is about to be destroyed, if there is one.
void abandon(Graph& graph) noexcept;

/// Lists and events of the capture are ordinary ones until it is resumed. COMMAND_LIST_NOT_CAPTURING, or
/// INVALID_ARGUMENT if it is paused already, or not.
Status pause(Graph& graph);
Status resume(Graph& graph);

/// The graph into which the list records; null if it does not.
std::shared_ptr<Graph> graphOf(const CommandList& list);
/// True if a recorded command is to signal the event.
bool isRecorded(const Event& event);
/// What a command appended to the list now would wait for.
std::shared_ptr<SignalState> awaitedState(const CommandList& list, const Event& event);

/// Records the command if the list records, or if its waits make it a branch of a capture. Returns false, and leaves
/// `operation` alone, if the command is to be executed. INVALID_COMMAND_LIST_TYPE, GRAPH_INTERNAL_EVENT,
/// GRAPH_CAPTURE_MERGE_ATTEMPT, GRAPH_CAPTURE_UNSUPPORTED, and the codes of setWaits() and claimSignal().
Result<bool> append(CommandList& list, std::unique_ptr<const Operation>& operation, const EventUse& events);
/// The same for what cannot be recorded: SUCCESS if it is to be executed.
Status checkUnrecordable(const CommandList& list, const EventUse& events);

/// Called when the list is destroyed.
void forget(const CommandList& list) noexcept;

/// Guards Graph::capture() until its phase is closed; constant from then on.
Mutex& mutex() noexcept;

}  // namespace captures
}  // namespace zetl::emulator::driver
