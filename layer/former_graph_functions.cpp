#include "former_graph_functions.h"

#include <algorithm>
#include <iterator>

#include "ddi/trampoline.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::layer {
namespace {

/// As the loader's tables have it: calls are traced.
#define BY_TABLES(function) \
    reinterpret_cast<decltype(&::function)>(ddi::kTrampolines[ddi::index(ddi::Function::function)].call)

/// The former codes of answers to questions.
ze_result_t formerCode(ze_result_t code) noexcept {
    constexpr auto kTrue = static_cast<ze_result_t>(0x7fff0000);
    constexpr auto kFalse = static_cast<ze_result_t>(0x7fff0001);
    constexpr auto kInvalidGraph = static_cast<ze_result_t>(0x7fff0002);
    if (code == ZE_RESULT_QUERY_TRUE) return kTrue;
    if (code == ZE_RESULT_QUERY_FALSE) return kFalse;
    return code == ZE_RESULT_ERROR_INVALID_GRAPH ? kInvalidGraph : code;
}

// Not noexcept: exceptions, and thread ends that start in a tracing callback, pass through.

ze_result_t ZE_APICALL create(ze_context_handle_t context, ze_graph_handle_t* graph, void* parameters) {
    return BY_TABLES(zeGraphCreateExt)(context, parameters, graph);
}
ze_result_t ZE_APICALL endCapture(ze_command_list_handle_t list, ze_graph_handle_t* graph, void* parameters) {
    return BY_TABLES(zeCommandListEndGraphCaptureExt)(list, parameters, graph);
}
ze_result_t ZE_APICALL instantiate(ze_graph_handle_t graph, ze_executable_graph_handle_t* executable,
                                   void* parameters) {
    return BY_TABLES(zeGraphInstantiateExt)(graph, parameters, executable);
}
ze_result_t ZE_APICALL isCaptured(ze_command_list_handle_t list) {
    return formerCode(BY_TABLES(zeCommandListIsGraphCaptureEnabledExt)(list));
}
ze_result_t ZE_APICALL isEmpty(ze_graph_handle_t graph) { return formerCode(BY_TABLES(zeGraphIsEmptyExt)(graph)); }

/// One that takes the same arguments.
#define SAME(former, function) \
    { #former, #function, reinterpret_cast < ddi::Address>(BY_TABLES(function)) }
#define OTHER(former, function, adapter) \
    { #former, #function, reinterpret_cast < ddi::Address>(&(adapter)) }
const FormerGraphFunction kFunctions[] = {
    OTHER(zeGraphCreateExp, zeGraphCreateExt, create),
    SAME(zeCommandListBeginGraphCaptureExp, zeCommandListBeginGraphCaptureExt),
    SAME(zeCommandListBeginCaptureIntoGraphExp, zeCommandListBeginCaptureIntoGraphExt),
    OTHER(zeCommandListIsGraphCaptureEnabledExp, zeCommandListIsGraphCaptureEnabledExt, isCaptured),
    OTHER(zeCommandListEndGraphCaptureExp, zeCommandListEndGraphCaptureExt, endCapture),
    SAME(zeCommandListGetGraphExp, zeCommandListGetGraphExt),
    SAME(zeGraphSetDestructionCallbackExp, zeGraphSetDestructionCallbackExt),
    OTHER(zeCommandListInstantiateGraphExp, zeGraphInstantiateExt, instantiate),
    SAME(zeCommandListAppendGraphExp, zeCommandListAppendGraphExt),
    OTHER(zeGraphIsEmptyExp, zeGraphIsEmptyExt, isEmpty),
    SAME(zeGraphDumpContentsExp, zeGraphDumpContentsExt),
    SAME(zeExecutableGraphDestroyExp, zeExecutableGraphDestroyExt),
    SAME(zeGraphDestroyExp, zeGraphDestroyExt),
};
#undef OTHER
#undef SAME

}  // namespace

const FormerGraphFunction* formerGraphFunction(std::string_view name) noexcept {
    const auto* const found = std::ranges::find(kFunctions, name, &FormerGraphFunction::name);
    return found == std::end(kFunctions) ? nullptr : found;
}

}  // namespace zetl::layer
