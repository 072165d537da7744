// What a graph records: the lists that took part, and their commands in the order in which they were appended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/driver/execution/event.h"
#include "emulator/driver/execution/operation.h"
#include "emulator/driver/execution/recorded_call.h"

namespace zetl::emulator::driver {

class CommandList;
class Device;

/// The part of one list. The first branch of a graph is that of the primary list.
struct GraphBranch {
    std::weak_ptr<CommandList> list;
    std::shared_ptr<Device> device;
    std::uint32_t ordinal = 0;
    std::optional<std::size_t> parent = {};      ///< the branch whose signal it waited for; none for the first
    std::size_t forkSignal = 0;                  ///< the parent's command that signalled
    std::optional<std::size_t> joinSignal = {};  ///< its own command whose signal the parent waited for last
    std::size_t joinWait = 0;                    ///< the parent's command that waited
};

/// One recorded append. A wait is for what the event stood for when the command was appended.
struct GraphCommand {
    std::size_t branch = 0;
    const char* function = "";  ///< the exported function that appended it
    Command command = {};
    std::vector<std::shared_ptr<Event>> waits = {};  ///< the events of command.waits
    std::shared_ptr<Event> signal = {};              ///< the event of command.signal
    std::shared_ptr<RecordedCall> call = {};         ///< for visitors; null if the function cannot be visited

    /// True for launches, copies and calls of the host; false for what only orders or looks.
    bool isWork() const noexcept { return command.operation && command.operation->isWork(); }
};

struct GraphRecord {
    std::vector<GraphBranch> branches = {};
    std::vector<GraphCommand> commands = {};
};

/// True if every branch but the first was joined, and has no work behind the signal that joined it.
bool allJoined(const GraphRecord& record) noexcept;

/// True for a counter-based event that only the graph that signals it may use.
bool isInternal(const Event& event) noexcept;
/// True for a counter-based event with ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL.
bool isExternal(const Event& event) noexcept;

}  // namespace zetl::emulator::driver
