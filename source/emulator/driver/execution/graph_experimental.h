// The graph functions of Intel's driver before they were standard: other argument orders, and other codes for the
// answers to questions. SYCL's adapter and profilers take them if a driver does not offer the standard ones.
#pragma once

#include "base/result.h"
#include "emulator/driver/execution/graph.h"

namespace zetl::emulator::driver {

inline constexpr auto kQueryTrueExp = static_cast<ze_result_t>(0x7fff0000);
inline constexpr auto kQueryFalseExp = static_cast<ze_result_t>(0x7fff0001);
inline constexpr auto kInvalidGraphExp = static_cast<ze_result_t>(0x7fff0002);

Status createGraphExp(std::shared_ptr<Context> context, ze_graph_handle_t& out, const void* parameters);
Status endGraphCaptureExp(CommandList& list, ze_graph_handle_t* out, const void* parameters);
Status instantiateExp(Graph& graph, ze_executable_graph_handle_t& out, const void* parameters);
/// kQueryTrueExp, kQueryFalseExp.
Status capturesGraphExp(CommandList& list);
/// These, and kInvalidGraphExp.
Status isEmptyExp(const Graph& graph);

}  // namespace zetl::emulator::driver
