// This driver's objects and commands as graphs see them (driver/graph_record.h).
#pragma once

#include <functional>
#include <memory>

#include "driver/graph_captures.h"
#include "driver/graph_text.h"
#include "nvidia/driver/execution/command.h"

namespace zetl::nvidia {

class CommandList;
class ExecutableGraph;
class Graph;

struct GraphParts {
    using List = CommandList;
    using Event = zetl::nvidia::Event;
    using Device = zetl::nvidia::Device;
    using Context = zetl::nvidia::Context;
    using Graph = zetl::nvidia::Graph;
    using Executable = ExecutableGraph;
    using Command = zetl::nvidia::Command;
    using Call = void;  // there are no visits
    using Use = EventUse;

    static std::shared_ptr<Context> contextOf(const List& list);
    static driver::GraphPlace<Device> placeOf(const List& list);
    static bool mayRecord(const List& list) noexcept;
    static bool isWork(const Command& command) noexcept { return command.node.isWork; }
    static driver::GraphDetails detailsOf(const Command& command) { return command.node.details; }
    /// There are no counter-based events.
    static bool isInternal(const Event&) noexcept { return false; }
    static Status checkEvent(const Event&) noexcept { return ZE_RESULT_SUCCESS; }
    static std::shared_ptr<Call> currentCall() noexcept { return nullptr; }
};

using captures = driver::GraphCaptures<GraphParts>;
using GraphCommand = driver::GraphCommand<GraphParts>;
using GraphRecord = driver::GraphRecord<GraphParts>;

/// captures::append() of the command that `make(events)` returns.
Result<bool> recordIfCaptured(CommandList& list, const EventUse& use,
                              const std::function<Command(CommandEvents)>& make);

}  // namespace zetl::nvidia
