#include "emulator/driver/execution/graph_parts.h"

#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/graph.h"

namespace zetl::emulator::driver {

std::shared_ptr<Context> GraphParts::contextOf(const List& list) { return list.engine().context; }

zetl::driver::GraphPlace<Device> GraphParts::placeOf(const List& list) {
    return {list.engine().device, list.engine().ordinal};
}

bool GraphParts::mayRecord(const List& list) noexcept { return list.immediate() && !list.engine().synchronous(); }

bool GraphParts::isWork(const Command& command) noexcept { return command.operation && command.operation->isWork(); }

CommandDetails GraphParts::detailsOf(const Command& command) {
    return command.operation ? command.operation->details() : CommandDetails{};
}

bool GraphParts::isInternal(const Event& event) noexcept { return event.pool().counterBased() && !isExternal(event); }

Status GraphParts::checkEvent(const Event& event) {
    if (!isExternal(event) || !(event.counterFlags() & ZE_EVENT_COUNTER_BASED_FLAG_IPC)) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED,
                  "an event of both ..._FLAG_IPC and ..._FLAG_GRAPH_EXTERNAL cannot be recorded");
}

bool isExternal(const Event& event) noexcept {
    return event.pool().counterBased() && (event.counterFlags() & ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL);
}

Result<bool> recordIfCaptured(CommandList& list, std::unique_ptr<const Operation>& operation, const EventUse& use) {
    return captures::append(list, use, [&](const captures::Used& used) -> Result<Command> {
        Command command;
        const Status bad = setWaits(command, use.waitCount, use.waits, NullWaits::refused);
        if (bad != ZE_RESULT_SUCCESS) return bad;
        for (std::size_t i = 0; i < used.waits.size(); ++i)
            if (used.signallers[i]) command.waits[i] = used.signallers[i]->signal;
        const auto claim = claimSignal(command, use.signal, {list.inOrder(), true});
        if (!claim) return claim.code();  // the claim is not kept: the event itself does not change
        command.operation = std::move(operation);
        return command;
    });
}

std::shared_ptr<SignalState> awaitedState(const CommandList& list, const Event& event) {
    return captures::readSignaller(
        list, event, [&](const Command* signaller) { return signaller ? signaller->signal : event.state(); });
}

}  // namespace zetl::emulator::driver
