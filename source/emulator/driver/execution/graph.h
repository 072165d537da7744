// ze_graph_handle_t (core specification, "Record and Replay Graph").
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "emulator/driver/execution/capture.h"
#include "emulator/driver/execution/executable_graph.h"
#include "emulator/driver/shared_parts.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

class Context;
struct VisitDescription;

/// Recorded commands. A graph is recorded once, by one primary list and the lists that fork from it, and can then be
/// made executable any number of times. Thread-safe.
class Graph : public Object<Graph, ze_graph_handle_t> {
  public:
    static constexpr const char* kNoun = "graph";

    /// An empty graph to record into. INVALID_ARGUMENT for parameters, of which there are none.
    static Result<std::shared_ptr<Graph>> create(std::shared_ptr<Context> context, const void* parameters);
    explicit Graph(std::shared_ptr<Context> context);
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    /// Calls the destruction callbacks, in the order in which they were set.
    ~Graph();

    /// Unique in the process.
    std::uint64_t id() const noexcept { return id_; }
    /// To be used with captures::mutex() held.
    Capture& capture() noexcept { return capture_; }
    const Capture& capture() const noexcept { return capture_; }

    /// INVALID_ARGUMENT while it is recorded or was never, INVALID_GRAPH with forks that are not joined.
    Result<std::shared_ptr<ExecutableGraph>> instantiate(const void* parameters);
    /// QUERY_TRUE or QUERY_FALSE; INVALID_GRAPH as long as forks are not joined.
    Status isEmpty() const;
    /// INVALID_ARGUMENT if nothing was ever recorded, or the list was destroyed.
    Status primaryList(ze_command_list_handle_t& out) const;
    /// INVALID_ARGUMENT without a function, UNSUPPORTED_FEATURE for parameters.
    Status setDestructionCallback(zex_mem_graph_free_callback_fn_t function, void* data, const void* parameters);
    /// Writes a text for Graphviz. UNSUPPORTED_FEATURE for unknown parameters; INVALID_ARGUMENT for an unknown mode, or
    /// a file that cannot be written.
    Status dump(const char* path, const void* parameters) const;
    /// Shows the recorded calls to a visitor, in their order; `answer` is the visitor's.
    Status visit(const VisitDescription& description, ze_result_t& answer) const;
    Status pause() { return captures::pause(*this); }
    Status resume() { return captures::resume(*this); }
    /// Ends its capture, if there is one, and its life.
    Status end();

  private:
    struct Callback {
        zex_mem_graph_free_callback_fn_t function;
        void* data;
    };

    const std::shared_ptr<Context> context_;
    const std::uint64_t id_;
    Capture capture_;
    Mutex callbacksMutex_;
    std::vector<Callback> callbacks_ ZETL_GUARDED_BY(callbacksMutex_);
};

// The functions of command lists, in the order of the specification.
/// Records into a new graph, which becomes alive.
Status beginGraphCapture(std::shared_ptr<CommandList> list, const void* parameters);
Status beginCaptureIntoGraph(std::shared_ptr<CommandList> list, std::shared_ptr<Graph> graph, const void* parameters);
/// QUERY_TRUE or QUERY_FALSE.
Status capturesGraph(CommandList& list);
/// `out` may be null if the graph was given by the application. Codes of captures::end(); the handle is written
/// whenever the capture ends.
Status endGraphCapture(CommandList& list, const void* parameters, ze_graph_handle_t* out);
/// COMMAND_LIST_NOT_CAPTURING, with a null handle.
Status recordedGraph(CommandList& list, ze_graph_handle_t& out);

}  // namespace zetl::emulator::driver
