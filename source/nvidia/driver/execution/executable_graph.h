// ze_executable_graph_handle_t (core specification, "Record and Replay Graph").
#pragma once

#include <memory>

#include "base/mutex.h"
#include "base/result.h"
#include "nvidia/driver/execution/command.h"
#include "nvidia/driver/execution/engine.h"
#include "nvidia/driver/shared_parts.h"

namespace zetl::nvidia {

class CommandList;
class Graph;
class Stream;

/// A graph as commands of a stream. Those that CUDA can make nodes of are CUDA graphs, in which forks run beside each
/// other. Others stand between them: waits for events from outside, timestamps, resets, copies with memory that CUDA
/// does not know. Thread-safe.
class ExecutableGraph : public Object<ExecutableGraph, ze_executable_graph_handle_t> {
  public:
    static constexpr const char* kNoun = "executable graph";

    /// Of a graph whose capture has ended and whose forks are joined. OUT_OF_DEVICE_MEMORY and other codes of CUDA.
    static Result<std::shared_ptr<ExecutableGraph>> create(const std::shared_ptr<Graph>& source);
    struct Parts {
        std::weak_ptr<Graph> source;
        std::shared_ptr<Context> context;
        std::shared_ptr<Device> device;  ///< null: nothing was recorded
        std::uint32_t ordinal = 0;
        CommandSequence commands;
    };
    explicit ExecutableGraph(Parts parts) : parts_(std::move(parts)) {}

    /// Executes it once on an immediate list, after its former execution. INVALID_ARGUMENT for a list that is not
    /// immediate, or one of another device or queue group.
    Status appendTo(CommandList& list, const EventUse& events);
    /// INVALID_ARGUMENT if the graph was destroyed.
    Status source(ze_graph_handle_t& out) const;

  private:
    Status checkList(const CommandList& list) const;
    Result<std::shared_ptr<StreamOrder>> endOfFormerExecution(const std::shared_ptr<Stream>& next)
        ZETL_REQUIRES(mutex_);

    const Parts parts_;
    Mutex mutex_;
    std::shared_ptr<Stream> runningOn_ ZETL_GUARDED_BY(mutex_);  ///< of its last execution; null: none yet
};

}  // namespace zetl::nvidia
