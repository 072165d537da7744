// ze_graph_handle_t (core specification, "Record and Replay Graph"), as far as all drivers of the tree have it alike.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "driver/description.h"
#include "driver/graph_captures.h"
#include "driver/graph_text.h"
#include "driver/object.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::driver {

/// INVALID_ARGUMENT for parameters, of which there are none.
Status refuseGraphParameters(const void* parameters);
/// Unique in the process.
std::uint64_t nextGraphId() noexcept;

/// Recorded commands: the base of a driver's Graph. A graph is recorded once, by one primary list and the lists that
/// fork from it, and can then be made executable any number of times. Thread-safe.
template <class Parts>
class RecordedGraph : public Object<typename Parts::Graph, ze_graph_handle_t> {
    using Graph = typename Parts::Graph;
    using List = typename Parts::List;
    using Executable = typename Parts::Executable;
    using Captures = GraphCaptures<Parts>;
    using Phase = typename Capture<Parts>::Phase;

  public:
    static constexpr const char* kNoun = "graph";
    using AliveAs = Graph;

    /// An empty graph to record into.
    static Result<std::shared_ptr<Graph>> create(std::shared_ptr<typename Parts::Context> context,
                                                 const void* parameters) {
        if (const Status bad = refuseGraphParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
        return std::make_shared<Graph>(std::move(context));
    }
    explicit RecordedGraph(std::shared_ptr<typename Parts::Context> context) : context_(std::move(context)) {}
    RecordedGraph(const RecordedGraph&) = delete;
    RecordedGraph& operator=(const RecordedGraph&) = delete;
    /// Calls the destruction callbacks, in the order in which they were set.
    ~RecordedGraph() {
        const Lock guard(callbacksMutex_);
        for (const Callback& each : callbacks_) try {
                each.function(each.data);
            } catch (...) {
                log::error(description().log, "the destruction callback of a graph threw");
            }
    }

    std::uint64_t id() const noexcept { return id_; }
    const std::shared_ptr<typename Parts::Context>& context() const noexcept { return context_; }
    /// To be used with Captures::mutex() held.
    Capture<Parts>& capture() noexcept { return capture_; }
    const Capture<Parts>& capture() const noexcept { return capture_; }

    /// INVALID_ARGUMENT while it is recorded or was never, INVALID_GRAPH with forks that are not joined.
    Result<std::shared_ptr<Executable>> instantiate(const void* parameters) {
        if (const Status bad = refuseGraphParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
        if (const Status bad = checkRecorded(); bad != ZE_RESULT_SUCCESS) return bad;
        return Executable::create(this->shared_from_this());
    }
    /// QUERY_TRUE or QUERY_FALSE; INVALID_GRAPH as long as forks are not joined.
    Status isEmpty() const {
        const Lock guard(Captures::mutex());
        if (capture_.invalidated || !capture_.record.allJoined())
            return refuseProbe(ZE_RESULT_ERROR_INVALID_GRAPH, "the graph has forks that are not joined");
        return capture_.record.commands.empty() ? ZE_RESULT_QUERY_TRUE : ZE_RESULT_QUERY_FALSE;
    }
    /// INVALID_ARGUMENT if nothing was ever recorded, or the list was destroyed.
    Status primaryList(ze_command_list_handle_t& out) const {
        std::shared_ptr<List> list;  // released without the mutex: the end of a list needs it
        const Lock guard(Captures::mutex());
        if (!capture_.record.branches.empty()) list = capture_.record.branches.front().list.lock();
        if (!list)
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the graph has no primary list, or the list was destroyed");
        out = list->handle();
        return ZE_RESULT_SUCCESS;
    }
    /// INVALID_ARGUMENT without a function, UNSUPPORTED_FEATURE for parameters.
    Status setDestructionCallback(zex_mem_graph_free_callback_fn_t function, void* data, const void* parameters) {
        if (!function) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "there is no function to call");
        if (parameters) return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "pNext must be null: there are no options");
        const Lock guard(callbacksMutex_);
        callbacks_.push_back({function, data});
        return ZE_RESULT_SUCCESS;
    }
    /// Writes a text for Graphviz. UNSUPPORTED_FEATURE for unknown parameters; INVALID_ARGUMENT for an unknown mode, or
    /// a file that cannot be written.
    Status dump(const char* path, const void* parameters) const {
        const auto style = graphTextStyle(parameters);
        if (!style) return style.code();
        std::string text;
        {
            const Lock guard(Captures::mutex());
            text = graphText(picture(), *style);
        }
        return writeGraphText(path, text);
    }
    Status pause() { return Captures::pause(self()); }
    Status resume() { return Captures::resume(this->shared_from_this()); }
    /// Ends its capture, if there is one, and its life.
    Status end() {
        Captures::abandon(self());
        return live<Graph>().remove(this->handle()) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    }

    // The functions of command lists, in the order of the specification.
    /// Records into a new graph, which becomes alive.
    static Status beginCapture(std::shared_ptr<List> list, const void* parameters) {
        if (const Status bad = refuseGraphParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
        const auto graph = std::make_shared<Graph>(Parts::contextOf(*list));
        const Status begun = Captures::begin(list, graph);
        if (begun == ZE_RESULT_SUCCESS) live<Graph>().add(graph);
        return begun;
    }
    static Status beginCaptureInto(std::shared_ptr<List> list, std::shared_ptr<Graph> graph, const void* parameters) {
        if (const Status bad = refuseGraphParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
        const Status begun = Captures::begin(list, graph);
        if (begun == ZE_RESULT_SUCCESS) noteGiven(*graph);
        return begun;
    }
    /// QUERY_TRUE or QUERY_FALSE.
    static Status isCaptured(List& list) {
        return Captures::graphOf(list) ? ZE_RESULT_QUERY_TRUE : ZE_RESULT_QUERY_FALSE;
    }
    /// `out` may be null if the graph was given by the application. Codes of GraphCaptures::end(); the handle is
    /// written whenever the capture ends.
    static Status endCapture(List& list, const void* parameters, ze_graph_handle_t* out) {
        if (const Status bad = refuseGraphParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
        const auto recorded = Captures::graphOf(list);
        if (recorded && !out) {
            const Lock guard(Captures::mutex());
            if (!recorded->capture().given) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        }
        std::shared_ptr<Graph> graph;
        const Status ended = Captures::end(list, graph);
        if (graph && out) *out = graph->handle();
        return ended;
    }
    /// COMMAND_LIST_NOT_CAPTURING, with a null handle.
    static Status capturedInto(List& list, ze_graph_handle_t& out) {
        const auto graph = Captures::graphOf(list);
        out = graph ? graph->handle() : nullptr;
        if (!graph) return refuseProbe(ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING, "the list does not record");
        noteGiven(*graph);
        return ZE_RESULT_SUCCESS;
    }
    /// Executes the graph once. INVALID_ARGUMENT for parameters, GRAPH_CAPTURE_UNSUPPORTED if the list is recorded, and
    /// the codes of Executable::appendTo().
    static Status append(List& list, Executable& graph, const void* parameters, const typename Parts::Use& events) {
        if (parameters)
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "pNext must be null: the execution of a graph has no options");
        if (Captures::any())
            if (const Status bad = Captures::checkUnrecordable(list, events); bad != ZE_RESULT_SUCCESS) return bad;
        return graph.appendTo(list, events);
    }

  private:
    struct Callback {
        zex_mem_graph_free_callback_fn_t function;
        void* data;
    };

    Graph& self() noexcept { return static_cast<Graph&>(*this); }

    static void noteGiven(Graph& graph) {
        const Lock guard(Captures::mutex());
        graph.capture().given = true;
    }

    Status checkRecorded() const {
        const Lock guard(Captures::mutex());
        if (capture_.phase != Phase::closed)
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the graph is {}; end its capture first",
                          capture_.phase == Phase::fresh ? "not recorded" : "being recorded");
        if (!capture_.invalidated && capture_.record.allJoined()) return ZE_RESULT_SUCCESS;
        return refuse(ZE_RESULT_ERROR_INVALID_GRAPH, "{}",
                      capture_.invalidated ? "a list of the graph was destroyed while it recorded"
                                           : "the graph has forks that are not joined");
    }

    GraphPicture picture() const {
        GraphPicture picture;
        for (const auto& branch : capture_.record.branches)
            picture.branches.push_back({branch.parent, branch.forkSignal, branch.joinSignal, branch.joinWait});
        for (const auto& command : capture_.record.commands) {
            picture.commands.push_back(
                {command.branch, command.function, Parts::detailsOf(command.command), {}, command.signal.get()});
            for (const auto& event : command.waits) picture.commands.back().waits.push_back(event.get());
        }
        return picture;
    }

    const std::shared_ptr<typename Parts::Context> context_;
    const std::uint64_t id_ = nextGraphId();
    Capture<Parts> capture_;
    Mutex callbacksMutex_;
    std::vector<Callback> callbacks_ ZETL_GUARDED_BY(callbacksMutex_);
};

inline constexpr auto kQueryTrueExp = static_cast<ze_result_t>(0x7fff0000);
inline constexpr auto kQueryFalseExp = static_cast<ze_result_t>(0x7fff0001);
inline constexpr auto kInvalidGraphExp = static_cast<ze_result_t>(0x7fff0002);

/// The graph functions of Intel's driver before they were standard: other argument orders, and other codes for the
/// answers to questions. SYCL's adapter and profilers take them if a driver does not offer the standard ones.
template <class Parts>
struct FormerGraph {
    using Graph = typename Parts::Graph;
    using List = typename Parts::List;

    static Status create(std::shared_ptr<typename Parts::Context> context, ze_graph_handle_t& out,
                         const void* parameters) {
        return give(Graph::create(std::move(context), parameters), out);
    }
    static Status endCapture(List& list, ze_graph_handle_t* out, const void* parameters) {
        return Graph::endCapture(list, parameters, out);
    }
    static Status instantiate(Graph& graph, ze_executable_graph_handle_t& out, const void* parameters) {
        return give(graph.instantiate(parameters), out);
    }
    /// kQueryTrueExp, kQueryFalseExp.
    static Status isCaptured(List& list) { return formerCode(Graph::isCaptured(list)); }
    /// These, and kInvalidGraphExp.
    static Status isEmpty(const Graph& graph) { return formerCode(graph.isEmpty()); }

  private:
    static Status formerCode(Status code) noexcept {
        if (code == ZE_RESULT_QUERY_TRUE) return kQueryTrueExp;
        if (code == ZE_RESULT_QUERY_FALSE) return kQueryFalseExp;
        return code == ZE_RESULT_ERROR_INVALID_GRAPH ? kInvalidGraphExp : code;
    }
    /// Makes a new object alive and writes its handle.
    template <class T>
    static Status give(Result<std::shared_ptr<T>> made, typename T::Handle& out) {
        if (!made) return made.code();
        out = live<T>().add(*std::move(made));
        return ZE_RESULT_SUCCESS;
    }
};

}  // namespace zetl::driver
