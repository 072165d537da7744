#include "emulator/driver/execution/executable_graph.h"

#include <map>
#include <set>

#include "emulator/driver/device/device.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/graph.h"

namespace zetl::emulator::driver {

/// Makes the sequence of a graph. The signals of counter-based events become the sequence's own.
class ExecutableGraph::Builder {
  public:
    explicit Builder(ExecutableGraph& target) : target_(target) {}

    void add(const GraphCommand& recorded) {
        Command command = recorded.command;
        giveOwnSignal(recorded, command);
        if (command.operation)
            if (auto rebound = command.operation->withStates(own_)) command.operation = std::move(rebound);
        rebindWaits(recorded, command);
        if (command.operation)
            if (const SignalState* reset = command.operation->resets()) signalled_.erase(reset);
        if (command.signal) signalled_.insert(command.signal.get());
        if (command.operation || command.signal || !command.waits.empty()) commands_.push_back(std::move(command));
    }
    CommandSequence take() { return std::move(commands_); }

  private:
    void giveOwnSignal(const GraphCommand& recorded, Command& command) {
        if (!command.renewsSignal) return;
        const auto former = command.signal;
        command.signal = own_[former] = std::make_shared<SignalState>();
        if (isExternal(*recorded.signal))
            target_.externalSignals_.push_back({recorded.signal, command.signal, commands_.size()});
        else if (command.counter && !command.counter->aggregates())
            command.counter = nullptr;
    }

    /// Drops what an earlier command of the graph has signalled by then.
    void rebindWaits(const GraphCommand& recorded, Command& command) {
        std::vector<std::shared_ptr<SignalState>> waits;
        for (std::size_t i = 0; i < command.waits.size(); ++i) {
            const auto own = own_.find(command.waits[i]);
            const bool recordedSignal = own != own_.end();
            auto state = recordedSignal ? own->second : command.waits[i];
            if (signalled_.contains(state.get())) continue;
            if (!recordedSignal && isExternal(*recorded.waits[i]))
                target_.externalWaits_.push_back({commands_.size(), waits.size(), recorded.waits[i]});
            waits.push_back(std::move(state));
        }
        command.waits = std::move(waits);
    }

    ExecutableGraph& target_;
    CommandSequence commands_;
    StateMap own_;
    std::set<const SignalState*> signalled_;
};

ExecutableGraph::ExecutableGraph(const std::shared_ptr<Graph>& source) : source_(source) {
    const GraphRecord& record = source->capture().record;
    if (!record.branches.empty()) {
        device_ = record.branches.front().place.device;
        ordinal_ = record.branches.front().place.ordinal;
    }
    Builder builder(*this);
    for (const GraphCommand& command : record.commands) builder.add(command);
    commands_ = std::make_shared<const CommandSequence>(builder.take());
}

Status ExecutableGraph::checkList(const CommandList& list) const {
    if (!list.immediate()) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "only immediate lists execute graphs");
    if (device_ && (&list.device() != device_.get() || list.ordinal() != ordinal_))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "the graph was recorded for {}queue group {}, the list is of group {}",
                      &list.device() == device_.get() ? "" : "another device, ", ordinal_, list.ordinal());
    return ZE_RESULT_SUCCESS;
}

std::shared_ptr<const CommandSequence> ExecutableGraph::commandsNow() const {
    if (externalWaits_.empty() && externalSignals_.empty()) return commands_;
    auto commands = std::make_shared<CommandSequence>(*commands_);
    for (const ExternalWait& each : externalWaits_) (*commands)[each.command].waits[each.wait] = each.event->state();
    for (const ExternalSignal& each : externalSignals_)
        if (const auto& counter = each.event->counter()) (*commands)[each.command].count = counter->next();
    return commands;
}

Status ExecutableGraph::appendTo(CommandList& list, const EventUse& events) {
    if (const Status bad = checkList(list); bad != ZE_RESULT_SUCCESS) return bad;
    const auto commands = commandsNow();
    CommandList::Submission submission{{commands}, events, nullptr, std::make_shared<SignalState>()};
    {
        const Lock guard(mutex_);
        const bool elsewhere = runningOn_.lock().get() != &list;
        if (running_ && elsewhere && running_->value() == SignalState::Value::pending) submission.after = running_;
        const auto submitted = list.enqueue(submission);
        if (!submitted) return submitted.code();
        running_ = submission.done;
        runningOn_ = list.weak_from_this();
        for (const ExternalSignal& each : externalSignals_)
            each.event->adopt(each.state, *submitted, (*commands)[each.command].count);
    }
    return list.engine().synchronous() ? list.synchronize(kForever) : ZE_RESULT_SUCCESS;
}

Status ExecutableGraph::source(ze_graph_handle_t& out) const {
    const auto source = source_.lock();
    if (!source || !live<Graph>().find(source->handle()))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the graph of this executable graph was destroyed");
    out = source->handle();
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::emulator::driver
