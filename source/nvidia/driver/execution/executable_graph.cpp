#include "nvidia/driver/execution/executable_graph.h"

#include <map>
#include <optional>
#include <utility>

#include "nvidia/cuda/api.h"
#include "nvidia/cuda/current.h"
#include "nvidia/driver/execution/command_list.h"
#include "nvidia/driver/execution/cuda_graph.h"
#include "nvidia/driver/execution/graph.h"

namespace zetl::nvidia {
namespace {

bool isKnown(const void* pointer) noexcept {
    unsigned kind = 0;
    const auto address = reinterpret_cast<CUdeviceptr>(pointer);
    return cuda().cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_SUCCESS;
}

/// Makes the commands of a graph, CUDA graphs of as many of them as follow each other.
class SequenceBuilder {
  public:
    explicit SequenceBuilder(std::shared_ptr<Device::Work> work) : work_(std::move(work)) {}

    Status add(const GraphCommand& recorded) {
        CudaGraph::Node node{recorded.branch, recorded.command, {}};
        CommandEvents outside;
        for (auto& event : std::exchange(node.command.events.waits, {})) addWait(node, std::move(event), outside);
        if (!outside.waits.empty()) {
            if (const Status bad = finishGraph(); bad != ZE_RESULT_SUCCESS) return bad;
            node.after.clear();
            commands_.push_back({std::move(outside), noWork, Submission::mayWait});
        }
        const Command& command = node.command;
        if (command.node.resets) signalled_.erase(command.node.resets.get());
        const Event* const signal = command.events.signal.get();
        if (isNode(command)) {
            if (signal) signalled_[signal] = nodes_.size();
            nodes_.push_back(std::move(node));
            return ZE_RESULT_SUCCESS;
        }
        if (const Status bad = finishGraph(); bad != ZE_RESULT_SUCCESS) return bad;
        if (signal) signalled_[signal] = std::nullopt;
        commands_.push_back(std::move(node.command));
        return ZE_RESULT_SUCCESS;
    }

    Result<CommandSequence> finish() {
        const Status bad = finishGraph();
        return bad == ZE_RESULT_SUCCESS ? Result<CommandSequence>(std::move(commands_)) : Result<CommandSequence>(bad);
    }

  private:
    /// A wait for what an earlier command signals becomes an edge, or is met by the order of commands.
    void addWait(CudaGraph::Node& node, std::shared_ptr<Event> event, CommandEvents& outside) const {
        const auto signal = signalled_.find(event.get());
        if (signal == signalled_.end())
            outside.waits.push_back(std::move(event));
        else if (signal->second)
            node.after.push_back(*signal->second);
    }

    /// Times are taken by the stream that executes the graph, which also submits tagged commands.
    static bool isNode(const Command& command) {
        const Command::Node& node = command.node;
        const bool timed = command.events.signal && command.events.signal->hasTimestamps();
        const bool tagged = command.events.tag != 0;
        return node.captured && !timed && !tagged && (!node.to || isKnown(node.to)) &&
               (!node.from || isKnown(node.from));
    }

    /// One command alone is as fast without a graph.
    Status finishGraph() {
        auto nodes = std::exchange(nodes_, {});
        for (auto& [event, node] : signalled_) node.reset();
        const auto works = std::ranges::count_if(nodes, [](const auto& each) { return each.command.node.isWork; });
        if (works < 2) {
            for (auto& node : nodes)
                if (node.command.node.isWork || node.command.events.signal)
                    commands_.push_back(std::move(node.command));
            return ZE_RESULT_SUCCESS;
        }
        auto graph = CudaGraph::create(work_, std::move(nodes));
        if (!graph) return graph.code();
        commands_.push_back(
            {{}, [graph = *std::move(graph)](CUstream stream) { return graph->launch(stream); }, Submission::mayWait});
        return ZE_RESULT_SUCCESS;
    }

    const std::shared_ptr<Device::Work> work_;
    CommandSequence commands_;
    std::vector<CudaGraph::Node> nodes_;  ///< of the CUDA graph that is being made
    /// The events that the graph has signalled by now, with the node that did it if that is one of `nodes_`.
    std::map<const Event*, std::optional<std::size_t>> signalled_;
};

}  // namespace

Result<std::shared_ptr<ExecutableGraph>> ExecutableGraph::create(const std::shared_ptr<Graph>& source) {
    const GraphRecord& record = source->capture().record;
    Parts parts{source, source->context(), nullptr, 0, {}};
    if (record.branches.empty()) return std::make_shared<ExecutableGraph>(std::move(parts));
    parts.device = record.branches.front().place.device;
    parts.ordinal = record.branches.front().place.ordinal;
    const auto member = parts.context->member(*parts.device);
    if (!member) return member.code();
    const Current current(member->work->context);
    SequenceBuilder builder(member->work);
    for (const GraphCommand& command : record.commands)
        if (const Status bad = builder.add(command); bad != ZE_RESULT_SUCCESS) return bad;
    auto commands = builder.finish();
    if (!commands) return commands.code();
    parts.commands = *std::move(commands);
    return std::make_shared<ExecutableGraph>(std::move(parts));
}

Status ExecutableGraph::checkList(const CommandList& list) const {
    if (!list.immediate()) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "only immediate lists execute graphs");
    const bool sameDevice = list.engine().place.device == parts_.device;
    if (parts_.device && (!sameDevice || list.engine().ordinal != parts_.ordinal))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "the graph was recorded for {}queue group {}, the list is of group {}",
                      sameDevice ? "" : "another device, ", parts_.ordinal, list.engine().ordinal);
    return ZE_RESULT_SUCCESS;
}

/// The end of the former execution, if that is on another stream and not reached; else null.
Result<std::shared_ptr<StreamOrder>> ExecutableGraph::endOfFormerExecution(const std::shared_ptr<Stream>& next) {
    if (!runningOn_ || runningOn_ == next || runningOn_->synchronize(0) != ZE_RESULT_NOT_READY)
        return std::shared_ptr<StreamOrder>();
    const auto member = parts_.context->member(*parts_.device);
    if (!member) return member.code();
    auto order = StreamOrder::create(member->work);
    if (!order) return order.code();
    const auto append = [order = *order](CUstream stream) { return order->append(stream); };
    const Status bad = runningOn_->submit({{{}, append, Submission::mayWait}});
    return bad == ZE_RESULT_SUCCESS ? std::move(order) : Result<std::shared_ptr<StreamOrder>>(bad);
}

Status ExecutableGraph::appendTo(CommandList& list, const EventUse& events) {
    if (const Status bad = checkList(list); bad != ZE_RESULT_SUCCESS) return bad;
    auto given = eventsOf(events);
    if (!given) return given.code();
    const Lock guard(mutex_);
    if (parts_.device) {
        auto former = endOfFormerExecution(list.stream());
        if (!former) return former.code();
        given->after = *std::move(former);
        runningOn_ = list.stream();
    }
    CommandSequence all;
    if (given->after || !given->waits.empty())
        all.push_back({{nullptr, std::move(given->waits), std::move(given->after)}, noWork, Submission::mayWait});
    all.insert(all.end(), parts_.commands.begin(), parts_.commands.end());
    if (given->signal) all.push_back({{std::move(given->signal), {}}, noWork, Submission::mayWait});
    return list.execute(all);
}

Status ExecutableGraph::source(ze_graph_handle_t& out) const {
    const auto source = parts_.source.lock();
    if (!source || !live<Graph>().find(source->handle()))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the graph of this executable graph was destroyed");
    out = source->handle();
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
