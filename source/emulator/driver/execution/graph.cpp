#include "emulator/driver/execution/graph.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/graph_dump.h"
#include "emulator/driver/execution/visitor.h"
#include "emulator/driver/memory/context.h"

namespace zetl::emulator::driver {
namespace {

// ze_record_replay_graph_ext_dump_desc_t and its predecessor of Intel's driver.
constexpr std::uint32_t kDumpDescription = 0x00020048;
constexpr std::uint32_t kDumpDescriptionExp = 0x00030031;
struct DumpDescription {
    ze_structure_type_t stype;
    const void* pNext;
    std::uint32_t mode;
};
/// The modes of the specification, then those that Intel's driver adds, whose events are nodes of their own.
constexpr GraphDumpStyle kDumpStyles[] = {
    {.detailed = true}, {}, {.detailed = true, .eventNodes = true}, {.eventNodes = true}};

std::uint64_t nextId() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

Status refuseParameters(const void* parameters) {
    if (!parameters) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "pNext must be null: graphs have no options");
}

Result<GraphDumpStyle> styleOf(const void* parameters) {
    if (!parameters) return kDumpStyles[0];
    const auto* link = linkAt(parameters, chainReader());
    const auto type = link ? static_cast<std::uint32_t>(link->stype) : 0;
    if (type != kDumpDescription && type != kDumpDescriptionExp)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "chained parameter of type {:#x} is not known", type);
    const std::uint32_t mode = reinterpret_cast<const DumpDescription*>(link)->mode;
    if (mode < std::size(kDumpStyles)) return kDumpStyles[mode];
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "there is no dump mode {}", mode);
}

}  // namespace

Result<std::shared_ptr<Graph>> Graph::create(std::shared_ptr<Context> context, const void* parameters) {
    if (const Status bad = refuseParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
    return std::make_shared<Graph>(std::move(context));
}

Graph::Graph(std::shared_ptr<Context> context) : context_(std::move(context)), id_(nextId()) {}

Graph::~Graph() {
    const Lock guard(callbacksMutex_);
    for (const Callback& each : callbacks_) try {
            each.function(each.data);
        } catch (...) {
            log::error(log::Channel::emulator, "the destruction callback of a graph threw");
        }
}

Result<std::shared_ptr<ExecutableGraph>> Graph::instantiate(const void* parameters) {
    if (const Status bad = refuseParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
    {
        const Lock guard(captures::mutex());
        if (capture_.phase != Capture::Phase::closed)
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the graph is {}; end its capture first",
                          capture_.phase == Capture::Phase::fresh ? "not recorded" : "being recorded");
        if (capture_.invalidated || !allJoined(capture_.record))
            return refuse(ZE_RESULT_ERROR_INVALID_GRAPH, "{}",
                          capture_.invalidated ? "a list of the graph was destroyed while it recorded"
                                               : "the graph has forks that are not joined");
    }
    return std::make_shared<ExecutableGraph>(shared_from_this());
}

Status Graph::isEmpty() const {
    const Lock guard(captures::mutex());
    if (capture_.invalidated || !allJoined(capture_.record))
        return refuseProbe(ZE_RESULT_ERROR_INVALID_GRAPH, "the graph has forks that are not joined");
    return capture_.record.commands.empty() ? ZE_RESULT_QUERY_TRUE : ZE_RESULT_QUERY_FALSE;
}

Status Graph::primaryList(ze_command_list_handle_t& out) const {
    std::shared_ptr<CommandList> list;  // released without the mutex: the end of a list needs it
    const Lock guard(captures::mutex());
    if (!capture_.record.branches.empty()) list = capture_.record.branches.front().list.lock();
    if (!list)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the graph has no primary list, or the list was destroyed");
    out = list->handle();
    return ZE_RESULT_SUCCESS;
}

Status Graph::setDestructionCallback(zex_mem_graph_free_callback_fn_t function, void* data, const void* parameters) {
    if (!function) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "there is no function to call");
    if (parameters) return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "pNext must be null: there are no options");
    const Lock guard(callbacksMutex_);
    callbacks_.push_back({function, data});
    return ZE_RESULT_SUCCESS;
}

Status Graph::dump(const char* path, const void* parameters) const {
    const auto style = styleOf(parameters);
    if (!style) return style.code();
    std::string text;
    {
        const Lock guard(captures::mutex());
        text = graphText(capture_.record, *style);
    }
    std::ofstream file(path);
    file << text;
    file.flush();
    if (file) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} cannot be written: {}", path, std::strerror(errno));
}

Status Graph::visit(const VisitDescription& description, ze_result_t& answer) const {
    RecordedCalls primary;
    RecordedCalls all;
    {
        const Lock guard(captures::mutex());
        for (const GraphCommand& command : capture_.record.commands) {
            if (!command.call) continue;
            all.push_back(command.call);
            if (command.branch == 0) primary.push_back(command.call);
        }
    }
    const auto visitor = Visitor::of(description);
    if (visitor) answer = visitor->visitAll(all, primary);
    return visitor.code();
}

Status Graph::end() {
    captures::abandon(*this);
    return live<Graph>().remove(handle()) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

Status beginGraphCapture(std::shared_ptr<CommandList> list, const void* parameters) {
    if (const Status bad = refuseParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
    const auto graph = std::make_shared<Graph>(list->engine().context);
    const Status begun = captures::begin(list, graph);
    if (begun == ZE_RESULT_SUCCESS) live<Graph>().add(graph);
    return begun;
}

Status beginCaptureIntoGraph(std::shared_ptr<CommandList> list, std::shared_ptr<Graph> graph, const void* parameters) {
    if (const Status bad = refuseParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
    const Status begun = captures::begin(list, graph);
    if (begun == ZE_RESULT_SUCCESS) {
        const Lock guard(captures::mutex());
        graph->capture().given = true;
    }
    return begun;
}

Status capturesGraph(CommandList& list) {
    return captures::graphOf(list) ? ZE_RESULT_QUERY_TRUE : ZE_RESULT_QUERY_FALSE;
}

Status endGraphCapture(CommandList& list, const void* parameters, ze_graph_handle_t* out) {
    if (const Status bad = refuseParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
    const auto recorded = captures::graphOf(list);
    if (recorded && !out) {
        const Lock guard(captures::mutex());
        if (!recorded->capture().given) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    std::shared_ptr<Graph> graph;
    const Status ended = captures::end(list, graph);
    if (graph && out) *out = graph->handle();
    return ended;
}

Status recordedGraph(CommandList& list, ze_graph_handle_t& out) {
    const auto graph = captures::graphOf(list);
    out = graph ? graph->handle() : nullptr;
    if (graph) {
        const Lock guard(captures::mutex());
        graph->capture().given = true;
        return ZE_RESULT_SUCCESS;
    }
    return refuseProbe(ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING, "the list does not record");
}

}  // namespace zetl::emulator::driver
