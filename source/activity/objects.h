// The application's objects, as far as device activity needs them, and the collector's state.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "activity/executions.h"
#include "activity/launch_observer.h"

namespace zetl::activity {

struct ListState {
    ze_context_handle_t context = nullptr;  ///< that it was created with
    ze_device_handle_t device = nullptr;
    EventStore* store = nullptr;
    StreamState* stream = nullptr;  ///< of an immediate list; null: a regular list, which queues execute
    std::vector<Command> commands;  ///< of a regular list
    bool measured = true;           ///< false for lists that were cloned
    bool recorded = false;          ///< the driver times its kernels, copies and fills, without events
    bool skipsNext = false;         ///< the next command may get another event later

    /// Whether the command that is being appended may be measured. Ask once per command.
    bool measuresNext() noexcept { return measured && !std::exchange(skipsNext, false); }
};

/// The commands that a graph has recorded. The executable graphs that are made of it signal the same events.
struct GraphState {
    std::vector<Command> commands;
    CapturedKernels kernels;  ///< of an observer of launches, which measures no commands
};

struct KernelState {
    std::uint32_t number = 0;
    LaunchShape facts;                                      ///< without groups, and without local memory of arguments
    std::map<std::uint32_t, std::uint64_t> localArguments;  ///< bytes by index

    /// As the next launch has it, but for the groups.
    LaunchShape shape() const;
};

/// The timestamps of the application's own events.
enum class Timestamps : std::uint8_t { none, asked, hidden /* the application did not ask for them */ };

class Objects {
  public:
    Objects(const LevelZero& calls, Sink& sink, bool recorded)
        : executions(calls, sink, recorded), calls_(calls), sink_(sink) {}

    Executions executions;
    std::unordered_map<const void*, ListState> lists;
    std::unordered_map<const void*, StreamState*> queues;
    std::unordered_map<const void*, Timestamps> pools;
    std::unordered_map<const void*, Timestamps> events;
    std::unordered_set<const void*> counters;   ///< those of `events` that are counter-based
    std::unordered_set<const void*> recording;  ///< lists on which a capture has begun
    std::unordered_map<const void*, std::shared_ptr<GraphState>> graphs;
    std::unordered_map<const void*, std::shared_ptr<GraphState>> executables;

    /// The graph into which the list records; null if it does not.
    GraphState* recordingGraph(const void* list);
    std::shared_ptr<GraphState>& graph(const void* handle);
    /// A graph or an executable graph is gone.
    void release(std::unordered_map<const void*, std::shared_ptr<GraphState>>& from, const void* handle);

    ListState* list(const void* handle);
    Timestamps timestampsOf(const void* event) const;

    EventStore& store(ze_context_handle_t context, ze_device_handle_t device);
    void endContext(ze_context_handle_t context);

    void addKernel(const void* handle, const char* name);
    /// Null: made before the collector.
    KernelState* kernel(const void* handle);

    /// The commands of a list or graph are gone. Their events are free unless some command will signal them.
    void clear(std::vector<Command>& commands);
    /// The commands of a list or graph are about to be executed.
    void execute(const std::vector<Command>& commands, StreamState& stream, std::uint64_t call, std::uint64_t time);
    /// The same for an executable graph. Its executions follow each other, whatever the list, so the times of one that
    /// cannot be read before the next begins are kept. So do, then, those of other executable graphs of the same graph.
    void execute(const GraphState& graph, ze_command_list_handle_t list, StreamState& stream, std::uint64_t call,
                 std::uint64_t time);
    /// They were not executed.
    void withdraw(const std::vector<Command>& commands);

  private:
    LaunchShape factsOf(const void* kernel) const;
    [[gnu::cold, gnu::noinline]] void keepTimes(const GraphState& graph, ze_command_list_handle_t list);

    const LevelZero& calls_;
    decltype(&zeCommandListGetGraphExt) graphOf_ = nullptr;  ///< found when the first graph is recorded
    Sink& sink_;
    std::map<std::pair<ze_context_handle_t, ze_device_handle_t>, std::unique_ptr<EventStore>> stores_;
    std::map<std::string, std::uint32_t, std::less<>> names_;
    std::unordered_map<const void*, KernelState> kernels_;
};

}  // namespace zetl::activity
