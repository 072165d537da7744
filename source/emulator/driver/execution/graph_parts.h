// This driver's objects and commands as graphs see them (driver/graph_record.h).
#pragma once

#include <memory>

#include "driver/graph_captures.h"
#include "driver/graph_text.h"
#include "emulator/driver/execution/event_use.h"
#include "emulator/driver/execution/recorded_call.h"

namespace zetl::emulator::driver {

class CommandList;
class Context;
class Device;
class ExecutableGraph;
class Graph;

struct GraphParts {
    using List = CommandList;
    using Event = zetl::emulator::driver::Event;
    using Device = zetl::emulator::driver::Device;
    using Context = zetl::emulator::driver::Context;
    using Graph = zetl::emulator::driver::Graph;
    using Executable = ExecutableGraph;
    using Command = zetl::emulator::driver::Command;
    using Call = RecordedCall;
    using Use = EventUse;

    static std::shared_ptr<Context> contextOf(const List& list);
    static zetl::driver::GraphPlace<Device> placeOf(const List& list);
    static bool mayRecord(const List& list) noexcept;
    static bool isWork(const Command& command) noexcept;
    static CommandDetails detailsOf(const Command& command);
    static bool isInternal(const Event& event) noexcept;
    /// GRAPH_CAPTURE_UNSUPPORTED for an event that is both shared with processes and external.
    static Status checkEvent(const Event& event);
    static std::shared_ptr<Call> currentCall() { return recordCurrentCall(); }
};

using captures = zetl::driver::GraphCaptures<GraphParts>;
using GraphCommand = zetl::driver::GraphCommand<GraphParts>;
using GraphRecord = zetl::driver::GraphRecord<GraphParts>;

/// True for a counter-based event with ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL.
bool isExternal(const Event& event) noexcept;

/// captures::append() of an operation, which is left alone if it is to be executed. Also the codes of setWaits() and
/// claimSignal().
Result<bool> recordIfCaptured(CommandList& list, std::unique_ptr<const Operation>& operation, const EventUse& use);
/// What a command appended to the list now would wait for.
std::shared_ptr<SignalState> awaitedState(const CommandList& list, const Event& event);

}  // namespace zetl::emulator::driver
