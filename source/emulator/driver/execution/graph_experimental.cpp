#include "emulator/driver/execution/graph_experimental.h"

#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/memory/context.h"

namespace zetl::emulator::driver {
namespace {

Status formerCode(Status code) noexcept {
    if (code == ZE_RESULT_QUERY_TRUE) return kQueryTrueExp;
    if (code == ZE_RESULT_QUERY_FALSE) return kQueryFalseExp;
    return code == ZE_RESULT_ERROR_INVALID_GRAPH ? kInvalidGraphExp : code;
}

/// Makes a new object alive and writes its handle.
template <class T>
Status give(Result<std::shared_ptr<T>> made, typename T::Handle& out) {
    if (!made) return made.code();
    out = live<T>().add(*std::move(made));
    return ZE_RESULT_SUCCESS;
}

}  // namespace

Status createGraphExp(std::shared_ptr<Context> context, ze_graph_handle_t& out, const void* parameters) {
    return give(Graph::create(std::move(context), parameters), out);
}

Status endGraphCaptureExp(CommandList& list, ze_graph_handle_t* out, const void* parameters) {
    return endGraphCapture(list, parameters, out);
}

Status instantiateExp(Graph& graph, ze_executable_graph_handle_t& out, const void* parameters) {
    return give(graph.instantiate(parameters), out);
}

Status capturesGraphExp(CommandList& list) { return formerCode(capturesGraph(list)); }

Status isEmptyExp(const Graph& graph) { return formerCode(graph.isEmpty()); }

}  // namespace zetl::emulator::driver
