#include "emulator/driver/execution/capture.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <span>

#include "base/never_destroyed.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/graph.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver::captures {
namespace {

using Events = std::vector<std::shared_ptr<Event>>;
using Lists = std::vector<std::shared_ptr<CommandList>>;

/// A list that records.
struct Place {
    std::shared_ptr<Graph> graph;
    std::size_t branch = 0;
};
/// The last recorded command that signals an event.
struct Signal {
    std::shared_ptr<Graph> graph;
    std::size_t command = 0;
};

struct Everything {
    Mutex mutex;
    std::map<const CommandList*, Place> lists ZETL_GUARDED_BY(mutex);
    std::map<const Event*, Signal> signals ZETL_GUARDED_BY(mutex);
    std::atomic<std::size_t> recording{0};  ///< the size of `lists`

    const Place* placeOf(const CommandList& list) const ZETL_REQUIRES(mutex) {
        const auto found = lists.find(&list);
        return found == lists.end() ? nullptr : &found->second;
    }
    const Signal* signalOf(const Event& event) const ZETL_REQUIRES(mutex) {
        const auto found = signals.find(&event);
        return found == signals.end() ? nullptr : &found->second;
    }
    void count() noexcept ZETL_REQUIRES(mutex) { recording.store(lists.size(), std::memory_order_relaxed); }
};

Everything& everything() noexcept {
    static NeverDestroyed<Everything> all;
    return *all;
}

GraphRecord& recordOf(Graph& graph) noexcept { return graph.capture().record; }

/// Makes the lists and events of a capture ordinary ones.
void detach(Everything& all, const Graph& graph) ZETL_REQUIRES(all.mutex) {
    std::erase_if(all.lists, [&](const auto& each) { return each.second.graph.get() == &graph; });
    std::erase_if(all.signals, [&](const auto& each) { return each.second.graph.get() == &graph; });
    all.count();
}

/// Lets the lists of a capture record again, except those that record for another graph by now.
void attach(Everything& all, const std::shared_ptr<Graph>& graph, const Lists& lists) ZETL_REQUIRES(all.mutex) {
    const GraphRecord& record = graph->capture().record;
    for (std::size_t i = 0; i < lists.size(); ++i)
        if (lists[i]) all.lists.try_emplace(lists[i].get(), Place{graph, i});
    for (std::size_t i = 0; i < record.commands.size(); ++i)
        if (const auto& event = record.commands[i].signal) all.signals[event.get()] = {graph, i};
    all.count();
}

bool mayRecord(const CommandList& list) noexcept { return list.immediate() && !list.engine().synchronous(); }

/// The waits and the signal of a command, as objects.
struct Used {
    Events waits;
    std::shared_ptr<Event> signal;
};

Result<Used> findUsed(const EventUse& use) {
    Used used;
    if (use.waitCount > 0 && !use.waits) return used;  // setWaits() refuses it
    auto waits = findAll<Event>(use.waitCount, use.waits);
    if (!waits) return waits.code();
    used.waits = *std::move(waits);
    if (!use.signal) return used;
    auto signal = find<Event>(use.signal);
    if (!signal) return signal.code();
    used.signal = *std::move(signal);
    return used;
}

Status refuseInternal() {
    return driver::refuse(ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT,
                          "the counter-based event belongs to a graph that is being recorded; create it with "
                          "ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL to use it elsewhere");
}

/// The recorded signals that the command waits for.
std::vector<const Signal*> recordedWaits(Everything& all, const Used& used) ZETL_REQUIRES(all.mutex) {
    std::vector<const Signal*> found;
    for (const auto& event : used.waits)
        if (const Signal* signal = all.signalOf(*event)) found.push_back(signal);
    return found;
}

/// What a list must not do that is to execute its command.
Status checkOutside(Everything& all, const Used& used, bool waits) ZETL_REQUIRES(all.mutex) {
    if (waits)
        return driver::refuse(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                              "the command waits for an event that a recorded command signals, but only asynchronous "
                              "immediate lists can be recorded");
    const bool internal = used.signal && all.signalOf(*used.signal) && isInternal(*used.signal);
    return internal ? refuseInternal() : ZE_RESULT_SUCCESS;
}

Status checkShared(const Used& used) {
    const auto shared = [](const std::shared_ptr<Event>& event) {
        return event && isExternal(*event) && (event->counterFlags() & ZE_EVENT_COUNTER_BASED_FLAG_IPC);
    };
    if (!shared(used.signal) && std::ranges::none_of(used.waits, shared)) return ZE_RESULT_SUCCESS;
    return driver::refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED,
                          "an event of both ..._FLAG_IPC and ..._FLAG_GRAPH_EXTERNAL cannot be recorded");
}

GraphBranch branchOf(const std::shared_ptr<CommandList>& list) {
    return {list, list->engine().device, list->engine().ordinal};
}

/// The place of a list that begins to record because it waits for a recorded signal.
Place fork(Everything& all, const std::shared_ptr<CommandList>& list, const Signal& signal) ZETL_REQUIRES(all.mutex) {
    GraphRecord& record = recordOf(*signal.graph);
    record.branches.push_back(branchOf(list));
    record.branches.back().parent = record.commands[signal.command].branch;
    record.branches.back().forkSignal = signal.command;
    Place place{signal.graph, record.branches.size() - 1};
    all.lists[list.get()] = place;
    all.count();
    return place;
}

/// Notes which branches the command, which is appended next, joins.
void join(GraphRecord& record, std::size_t branch, const std::vector<const Signal*>& waits) {
    for (const Signal* wait : waits) {
        const std::size_t from = record.commands[wait->command].branch;
        GraphBranch& child = record.branches[from];
        if (child.parent != branch) continue;
        child.joinSignal = wait->command;
        child.joinWait = record.commands.size();
    }
}

/// The command with the states that it waits for and signals once it is part of a graph.
Result<Command> makeCommand(Everything& all, const CommandList& list, const EventUse& use, const Used& used)
    ZETL_REQUIRES(all.mutex) {
    Command command;
    const Status bad = setWaits(command, use.waitCount, use.waits, NullWaits::refused);
    if (bad != ZE_RESULT_SUCCESS) return bad;
    for (std::size_t i = 0; i < used.waits.size(); ++i)
        if (const Signal* signal = all.signalOf(*used.waits[i]))
            command.waits[i] = recordOf(*signal->graph).commands[signal->command].command.signal;
    const auto claim = claimSignal(command, use.signal, {list.inOrder(), true});
    if (!claim) return claim.code();  // the claim is not kept: the event itself does not change
    return command;
}

}  // namespace

Mutex& mutex() noexcept { return everything().mutex; }

bool any() noexcept { return everything().recording.load(std::memory_order_relaxed) != 0; }

Status begin(const std::shared_ptr<CommandList>& list, const std::shared_ptr<Graph>& graph) {
    Everything& all = everything();
    const Lock guard(all.mutex);
    if (!mayRecord(*list))
        return driver::refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "only asynchronous immediate lists can be recorded");
    if (all.placeOf(*list))
        return driver::refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list records into a graph already");
    Capture& capture = graph->capture();
    const bool busy = capture.phase == Capture::Phase::recording || capture.phase == Capture::Phase::paused;
    if (busy || !capture.record.commands.empty())
        return driver::refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the graph {}; record into a new one",
                              busy ? "is being recorded" : "has commands");
    capture.record.branches = {branchOf(list)};
    capture.phase = Capture::Phase::recording;
    all.lists[list.get()] = {graph, 0};
    all.count();
    return ZE_RESULT_SUCCESS;
}

Status end(const CommandList& list, std::shared_ptr<Graph>& graph) {
    Everything& all = everything();
    const Lock guard(all.mutex);
    const Place* place = all.placeOf(list);
    if (!place)
        return driver::refuse(ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING, "the list does not record, or is paused");
    if (place->branch != 0)
        return driver::refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                              "the list is a fork; recording ends on the list that it began on");
    graph = place->graph;
    detach(all, *graph);
    Capture& capture = graph->capture();
    capture.phase = Capture::Phase::closed;
    if (capture.invalidated)
        return driver::refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED, "a recording list was destroyed");
    if (allJoined(capture.record)) return ZE_RESULT_SUCCESS;
    return driver::refuse(ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS,
                          "a list that was forked has work that its parent does not wait for");
}

void abandon(Graph& graph) noexcept {
    Everything& all = everything();
    const Lock guard(all.mutex);
    if (graph.capture().phase == Capture::Phase::closed) return;
    detach(all, graph);
    graph.capture().phase = Capture::Phase::closed;
    graph.capture().invalidated = true;
}

Status pause(Graph& graph) {
    Everything& all = everything();
    const Lock guard(all.mutex);
    Capture& capture = graph.capture();
    if (capture.phase == Capture::Phase::paused)
        return driver::refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the capture is paused already");
    if (capture.phase != Capture::Phase::recording)
        return driver::refuse(ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING, "nothing records into the graph");
    detach(all, graph);
    capture.phase = Capture::Phase::paused;
    return ZE_RESULT_SUCCESS;
}

Status resume(Graph& graph) {
    Everything& all = everything();
    Lists lists;  // released without the mutex: the end of a list needs it
    const Lock guard(all.mutex);
    Capture& capture = graph.capture();
    if (capture.phase == Capture::Phase::recording)
        return driver::refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the capture is not paused");
    if (capture.phase != Capture::Phase::paused)
        return driver::refuse(ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING, "nothing records into the graph");
    for (const GraphBranch& branch : capture.record.branches) {
        lists.push_back(branch.list.lock());
        capture.invalidated |= !lists.back();
    }
    if (!lists.front()) {
        capture.phase = Capture::Phase::closed;
        return driver::refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED, "the primary list was destroyed");
    }
    capture.phase = Capture::Phase::recording;
    attach(all, graph.shared_from_this(), lists);
    return ZE_RESULT_SUCCESS;
}

std::shared_ptr<Graph> graphOf(const CommandList& list) {
    Everything& all = everything();
    const Lock guard(all.mutex);
    const Place* place = all.placeOf(list);
    return place ? place->graph : nullptr;
}

bool isRecorded(const Event& event) {
    Everything& all = everything();
    const Lock guard(all.mutex);
    return all.signalOf(event) != nullptr;
}

std::shared_ptr<SignalState> awaitedState(const CommandList& list, const Event& event) {
    Everything& all = everything();
    const Lock guard(all.mutex);
    const Place* place = all.placeOf(list);
    const Signal* signal = all.signalOf(event);
    if (!place || !signal || signal->graph != place->graph) return event.state();
    return recordOf(*signal->graph).commands[signal->command].command.signal;
}

Result<bool> append(CommandList& list, std::unique_ptr<const Operation>& operation, const EventUse& use) {
    const auto used = findUsed(use);
    if (!used) return used.code();
    Everything& all = everything();
    const Lock guard(all.mutex);
    const auto waits = recordedWaits(all, *used);
    const Place* known = all.placeOf(list);
    if (!known && (!mayRecord(list) || waits.empty())) {
        const Status bad = checkOutside(all, *used, !waits.empty());
        return bad == ZE_RESULT_SUCCESS ? Result<bool>(false) : Result<bool>(bad);
    }
    const std::shared_ptr<Graph> graph = known ? known->graph : waits.front()->graph;
    if (!std::ranges::all_of(waits, [&](const Signal* each) { return each->graph == graph; }))
        return driver::refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT,
                              "the command waits for an event of another capture");
    if (&list.device() != recordOf(*graph).branches.front().device.get())
        return driver::refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED,
                              "the list is of another device than the graph's primary list");
    if (const Status bad = checkShared(*used); bad != ZE_RESULT_SUCCESS) return bad;
    auto command = makeCommand(all, list, use, *used);
    if (!command) return command.code();
    GraphRecord& record = recordOf(*graph);
    const std::size_t branch = known ? known->branch : fork(all, list.shared_from_this(), *waits.front()).branch;
    join(record, branch, waits);
    command->operation = std::move(operation);
    record.commands.push_back(
        {branch, currentFunction(), *std::move(command), used->waits, used->signal, recordCurrentCall()});
    if (used->signal) all.signals[used->signal.get()] = {graph, record.commands.size() - 1};
    return true;
}

Status checkUnrecordable(const CommandList& list, const EventUse& use) {
    const auto used = findUsed(use);
    if (!used) return used.code();
    Everything& all = everything();
    const Lock guard(all.mutex);
    const auto waits = recordedWaits(all, *used);
    if (all.placeOf(list) || (mayRecord(list) && !waits.empty()))
        return driver::refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED,
                              "a list that records into a graph cannot execute other lists or graphs");
    return checkOutside(all, *used, !waits.empty());
}

void forget(const CommandList& list) noexcept {
    Everything& all = everything();
    std::shared_ptr<Graph> lost;  // destroyed without the mutex
    const Lock guard(all.mutex);
    const auto place = all.lists.find(&list);
    if (place == all.lists.end()) return;
    lost = place->second.graph;
    lost->capture().invalidated = true;
    if (place->second.branch == 0) {
        detach(all, *lost);
        lost->capture().phase = Capture::Phase::closed;
        if (!lost->capture().given) live<Graph>().remove(lost->handle());  // nobody can ask for it any more
    } else {
        all.lists.erase(place);
        all.count();
    }
}

}  // namespace zetl::emulator::driver::captures
