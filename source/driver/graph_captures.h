// Captures in progress: which immediate lists record what is appended to them, and for which graph (core specification,
// "Record and Replay Graph").
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "base/result.h"
#include "driver/boundary.h"
#include "driver/graph_record.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::driver {

/// The captures of one driver. All functions are thread-safe.
template <class Parts>
class GraphCaptures {
    using List = typename Parts::List;
    using Event = typename Parts::Event;
    using Graph = typename Parts::Graph;
    using Use = typename Parts::Use;
    using Command = typename Parts::Command;
    using Phase = typename Capture<Parts>::Phase;

  public:
    /// The waits and the signal of a command, as objects.
    struct Used {
        std::vector<std::shared_ptr<Event>> waits;
        std::shared_ptr<Event> signal;
        /// For each wait the recorded command that signals its event; null if none does.
        std::vector<const Command*> signallers;
    };

    /// False in a program without graphs, which then pays one load per append.
    static bool any() noexcept { return everything().recording.load(std::memory_order_relaxed) != 0; }
    /// Guards Graph::capture() until its phase is closed; constant from then on.
    static Mutex& mutex() noexcept { return everything().mutex; }

    /// Lets the list record into the graph. INVALID_ARGUMENT if the list cannot (it is regular, synchronous, or records
    /// already), or if the graph has commands or is recorded into.
    static Status begin(const std::shared_ptr<List>& list, const std::shared_ptr<Graph>& graph) {
        Everything& all = everything();
        const Lock guard(all.mutex);
        if (!Parts::mayRecord(*list))
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "only asynchronous immediate lists can be recorded");
        if (all.placeOf(*list))
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list records into a graph already");
        auto& capture = graph->capture();
        const bool busy = capture.phase == Phase::recording || capture.phase == Phase::paused;
        if (busy || !capture.record.commands.empty())
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the graph {}; record into a new one",
                          busy ? "is being recorded" : "has commands");
        capture.record.branches = {branchOf(list)};
        capture.phase = Phase::recording;
        all.lists[list.get()] = {graph, 0};
        all.count();
        return ZE_RESULT_SUCCESS;
    }

    /// Ends the capture that began on this list, on all of its lists, and returns its graph in `graph`.
    /// COMMAND_LIST_NOT_CAPTURING; INVALID_ARGUMENT if another list began it. GRAPH_UNJOINED_FORKS and
    /// GRAPH_CAPTURE_INVALIDATED end it, too.
    static Status end(const List& list, std::shared_ptr<Graph>& graph) {
        Everything& all = everything();
        const Lock guard(all.mutex);
        const Place* place = all.placeOf(list);
        if (!place) return refuse(ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING, "the list does not record, or is paused");
        if (place->branch != 0)
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "the list is a fork; recording ends on the list that it began on");
        graph = place->graph;
        detach(all, *graph);
        auto& capture = graph->capture();
        capture.phase = Phase::closed;
        if (capture.invalidated)
            return refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED, "a recording list was destroyed");
        if (capture.record.allJoined()) return ZE_RESULT_SUCCESS;
        return refuse(ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS,
                      "a list that was forked has work that its parent does not wait for");
    }

    /// Ends the capture into a graph that is about to be destroyed, if there is one.
    static void abandon(Graph& graph) noexcept {
        Everything& all = everything();
        const Lock guard(all.mutex);
        if (graph.capture().phase == Phase::closed) return;
        detach(all, graph);
        graph.capture().phase = Phase::closed;
        graph.capture().invalidated = true;
    }

    /// Lists and events of the capture are ordinary ones until it is resumed. COMMAND_LIST_NOT_CAPTURING, or
    /// INVALID_ARGUMENT if it is paused already.
    static Status pause(Graph& graph) {
        Everything& all = everything();
        const Lock guard(all.mutex);
        auto& capture = graph.capture();
        if (capture.phase == Phase::paused)
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the capture is paused already");
        if (capture.phase != Phase::recording) return refuseIdle();
        detach(all, graph);
        capture.phase = Phase::paused;
        return ZE_RESULT_SUCCESS;
    }

    /// COMMAND_LIST_NOT_CAPTURING, INVALID_ARGUMENT if it is not paused, GRAPH_CAPTURE_INVALIDATED if its primary list
    /// is gone.
    static Status resume(const std::shared_ptr<Graph>& graph) {
        Everything& all = everything();
        Lists lists;  // released without the mutex: the end of a list needs it
        const Lock guard(all.mutex);
        auto& capture = graph->capture();
        if (capture.phase == Phase::recording)
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the capture is not paused");
        if (capture.phase != Phase::paused) return refuseIdle();
        for (const auto& branch : capture.record.branches) {
            lists.push_back(branch.list.lock());
            capture.invalidated |= !lists.back();
        }
        if (!lists.front()) {
            capture.phase = Phase::closed;
            return refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED, "the primary list was destroyed");
        }
        capture.phase = Phase::recording;
        attach(all, graph, lists);
        return ZE_RESULT_SUCCESS;
    }

    /// The graph into which the list records; null if it does not.
    static std::shared_ptr<Graph> graphOf(const List& list) {
        Everything& all = everything();
        const Lock guard(all.mutex);
        const Place* place = all.placeOf(list);
        return place ? place->graph : nullptr;
    }

    /// True if a recorded command is to signal the event.
    static bool isRecorded(const Event& event) {
        Everything& all = everything();
        const Lock guard(all.mutex);
        return all.signalOf(event) != nullptr;
    }

    /// `read(command)` of the command in the list's own graph that signals the event; of null if there is none.
    template <class Read>
    static auto readSignaller(const List& list, const Event& event, Read read) {
        Everything& all = everything();
        const Lock guard(all.mutex);
        const Place* place = all.placeOf(list);
        const Signal* signal = all.signalOf(event);
        const bool own = place && signal && signal->graph == place->graph;
        return read(own ? &commandOf(*signal) : static_cast<const Command*>(nullptr));
    }

    /// Records a command if the list records, or if its waits make it a branch of a capture: `make(used)` returns it,
    /// with the code that refuses it. Returns false, without a call of `make`, if the command is to be executed.
    /// INVALID_COMMAND_LIST_TYPE, GRAPH_INTERNAL_EVENT, GRAPH_CAPTURE_MERGE_ATTEMPT, GRAPH_CAPTURE_UNSUPPORTED.
    template <class Make>
    static Result<bool> append(List& list, const Use& use, Make make) {
        auto used = findUsed(use);
        if (!used) return used.code();
        Everything& all = everything();
        const Lock guard(all.mutex);
        const auto waits = recordedWaits(all, *used);
        const Place* known = all.placeOf(list);
        if (!known && (!Parts::mayRecord(list) || waits.empty())) {
            const Status bad = checkOutside(all, *used, !waits.empty());
            return bad == ZE_RESULT_SUCCESS ? Result<bool>(false) : Result<bool>(bad);
        }
        const std::shared_ptr<Graph> graph = known ? known->graph : waits.front()->graph;
        if (const Status bad = checkRecordable(*graph, list, *used, waits); bad != ZE_RESULT_SUCCESS) return bad;
        for (const auto& event : used->waits) {
            const Signal* signal = all.signalOf(*event);
            used->signallers.push_back(signal ? &commandOf(*signal) : nullptr);
        }
        auto command = make(std::as_const(*used));
        if (!command) return command.code();
        auto& record = recordOf(*graph);
        const std::size_t branch = known ? known->branch : fork(all, list.shared_from_this(), *waits.front()).branch;
        join(record, branch, waits);
        record.commands.push_back(
            {branch, currentFunction(), *std::move(command), used->waits, used->signal, Parts::currentCall()});
        if (used->signal) all.signals[used->signal.get()] = {graph, record.commands.size() - 1};
        return true;
    }

    /// The same for what cannot be recorded: SUCCESS if it is to be executed.
    static Status checkUnrecordable(const List& list, const Use& use) {
        const auto used = findUsed(use);
        if (!used) return used.code();
        Everything& all = everything();
        const Lock guard(all.mutex);
        const auto waits = recordedWaits(all, *used);
        if (all.placeOf(list) || (Parts::mayRecord(list) && !waits.empty()))
            return refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED,
                          "a list that records into a graph cannot execute other lists or graphs");
        return checkOutside(all, *used, !waits.empty());
    }

    /// Called when the list is destroyed.
    static void forget(const List& list) noexcept {
        Everything& all = everything();
        std::shared_ptr<Graph> lost;  // destroyed without the mutex
        const Lock guard(all.mutex);
        const auto place = all.lists.find(&list);
        if (place == all.lists.end()) return;
        lost = place->second.graph;
        lost->capture().invalidated = true;
        if (place->second.branch == 0) {
            detach(all, *lost);
            lost->capture().phase = Phase::closed;
            if (!lost->capture().given) live<Graph>().remove(lost->handle());  // nobody can ask for it any more
        } else {
            all.lists.erase(place);
            all.count();
        }
    }

  private:
    using Lists = std::vector<std::shared_ptr<List>>;

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
        std::map<const List*, Place> lists ZETL_GUARDED_BY(mutex);
        std::map<const Event*, Signal> signals ZETL_GUARDED_BY(mutex);
        std::atomic<std::size_t> recording{0};  ///< the size of `lists`

        const Place* placeOf(const List& list) const ZETL_REQUIRES(mutex) {
            const auto found = lists.find(&list);
            return found == lists.end() ? nullptr : &found->second;
        }
        const Signal* signalOf(const Event& event) const ZETL_REQUIRES(mutex) {
            const auto found = signals.find(&event);
            return found == signals.end() ? nullptr : &found->second;
        }
        void count() noexcept ZETL_REQUIRES(mutex) { recording.store(lists.size(), std::memory_order_relaxed); }
    };

    static Everything& everything() noexcept {
        static NeverDestroyed<Everything> all;
        return *all;
    }

    static GraphRecord<Parts>& recordOf(Graph& graph) noexcept { return graph.capture().record; }
    static const Command& commandOf(const Signal& signal) noexcept {
        return recordOf(*signal.graph).commands[signal.command].command;
    }
    static GraphBranch<Parts> branchOf(const std::shared_ptr<List>& list) { return {list, Parts::placeOf(*list)}; }

    static Status refuseIdle() {
        return refuse(ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING, "nothing records into the graph");
    }

    /// Makes the lists and events of a capture ordinary ones.
    static void detach(Everything& all, const Graph& graph) ZETL_REQUIRES(all.mutex) {
        std::erase_if(all.lists, [&](const auto& each) { return each.second.graph.get() == &graph; });
        std::erase_if(all.signals, [&](const auto& each) { return each.second.graph.get() == &graph; });
        all.count();
    }

    /// Lets the lists of a capture record again, except those that record for another graph by now.
    static void attach(Everything& all, const std::shared_ptr<Graph>& graph, const Lists& lists)
        ZETL_REQUIRES(all.mutex) {
        const auto& record = graph->capture().record;
        for (std::size_t i = 0; i < lists.size(); ++i)
            if (lists[i]) all.lists.try_emplace(lists[i].get(), Place{graph, i});
        for (std::size_t i = 0; i < record.commands.size(); ++i)
            if (const auto& event = record.commands[i].signal) all.signals[event.get()] = {graph, i};
        all.count();
    }

    static Result<Used> findUsed(const Use& use) {
        Used used;
        if (use.waitCount > 0 && !use.waits) return used;  // what makes the command refuses it
        auto waits = findAll<Event>(use.waitCount, use.waits);
        if (!waits) return waits.code();
        used.waits = *std::move(waits);
        if (!use.signal) return used;
        auto signal = find<Event>(use.signal);
        if (!signal) return signal.code();
        used.signal = *std::move(signal);
        return used;
    }

    /// The recorded signals that the command waits for.
    static std::vector<const Signal*> recordedWaits(Everything& all, const Used& used) ZETL_REQUIRES(all.mutex) {
        std::vector<const Signal*> found;
        for (const auto& event : used.waits)
            if (const Signal* signal = all.signalOf(*event)) found.push_back(signal);
        return found;
    }

    /// What a list must not do that is to execute its command.
    static Status checkOutside(Everything& all, const Used& used, bool waits) ZETL_REQUIRES(all.mutex) {
        if (waits)
            return refuse(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                          "the command waits for an event that a recorded command signals, but only asynchronous "
                          "immediate lists can be recorded");
        const bool internal = used.signal && all.signalOf(*used.signal) && Parts::isInternal(*used.signal);
        if (!internal) return ZE_RESULT_SUCCESS;
        return refuse(ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT,
                      "the counter-based event belongs to a graph that is being recorded; create it with "
                      "ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL to use it elsewhere");
    }

    static Status checkRecordable(Graph& graph, const List& list, const Used& used,
                                  const std::vector<const Signal*>& waits) {
        if (!std::ranges::all_of(waits, [&](const Signal* each) { return each->graph.get() == &graph; }))
            return refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT,
                          "the command waits for an event of another capture");
        if (Parts::placeOf(list).device != recordOf(graph).branches.front().place.device)
            return refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED,
                          "the list is of another device than the graph's primary list");
        if (used.signal)
            if (const Status bad = Parts::checkEvent(*used.signal); bad != ZE_RESULT_SUCCESS) return bad;
        for (const auto& event : used.waits)
            if (const Status bad = Parts::checkEvent(*event); bad != ZE_RESULT_SUCCESS) return bad;
        return ZE_RESULT_SUCCESS;
    }

    /// The place of a list that begins to record because it waits for a recorded signal.
    static Place fork(Everything& all, const std::shared_ptr<List>& list, const Signal& signal)
        ZETL_REQUIRES(all.mutex) {
        auto& record = recordOf(*signal.graph);
        record.branches.push_back(branchOf(list));
        record.branches.back().parent = record.commands[signal.command].branch;
        record.branches.back().forkSignal = signal.command;
        Place place{signal.graph, record.branches.size() - 1};
        all.lists[list.get()] = place;
        all.count();
        return place;
    }

    /// Notes which branches the command, which is appended next, joins.
    static void join(GraphRecord<Parts>& record, std::size_t branch, const std::vector<const Signal*>& waits) {
        for (const Signal* wait : waits) {
            auto& child = record.branches[record.commands[wait->command].branch];
            if (child.parent != branch) continue;
            child.joinSignal = wait->command;
            child.joinWait = record.commands.size();
        }
    }
};

}  // namespace zetl::driver
