// ze_executable_graph_handle_t (core specification, "Record and Replay Graph").
#pragma once

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "emulator/driver/execution/engine.h"
#include "emulator/driver/execution/event_use.h"
#include "emulator/driver/execution/operation.h"
#include "emulator/driver/shared_parts.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

class CommandList;
class Graph;

/// A graph as one sequence of commands, in the order in which they were recorded: it satisfies every wait for a command
/// of the graph, so those waits are gone. Intel's driver makes the same of it on devices with one engine per queue
/// group. Thread-safe.
class ExecutableGraph : public Object<ExecutableGraph, ze_executable_graph_handle_t> {
  public:
    static constexpr const char* kNoun = "executable graph";

    static Result<std::shared_ptr<ExecutableGraph>> create(const std::shared_ptr<Graph>& source) {
        return std::make_shared<ExecutableGraph>(source);
    }
    /// Of a graph whose capture has ended and whose forks are joined.
    explicit ExecutableGraph(const std::shared_ptr<Graph>& source);

    /// Executes it once on an immediate list, after its former execution. INVALID_ARGUMENT for a list that
    /// is not immediate, or one of another device or queue group.
    Status appendTo(CommandList& list, const EventUse& events);
    /// INVALID_ARGUMENT if the graph was destroyed.
    Status source(ze_graph_handle_t& out) const;

  private:
    /// An event that is waited for as it is when the graph is executed.
    struct ExternalWait {
        std::size_t command;
        std::size_t wait;
        std::shared_ptr<Event> event;
    };
    struct ExternalSignal {
        std::shared_ptr<Event> event;
        std::shared_ptr<SignalState> state;
        std::size_t command;
    };
    class Builder;

    Status checkList(const CommandList& list) const;
    std::shared_ptr<const CommandSequence> commandsNow() const;

    const std::weak_ptr<Graph> source_;
    std::shared_ptr<const Device> device_;  ///< null: nothing was recorded
    std::uint32_t ordinal_ = 0;
    std::shared_ptr<const CommandSequence> commands_;
    std::vector<ExternalWait> externalWaits_;
    std::vector<ExternalSignal> externalSignals_;
    Mutex mutex_;
    std::shared_ptr<SignalState> running_ ZETL_GUARDED_BY(mutex_);  ///< its last execution; null: none yet
    std::weak_ptr<CommandList> runningOn_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::driver
