// ze_graph_handle_t (core specification, "Record and Replay Graph").
#pragma once

#include "base/result.h"
#include "driver/recorded_graph.h"
#include "emulator/driver/execution/executable_graph.h"
#include "emulator/driver/execution/graph_parts.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

struct VisitDescription;

class Graph : public RecordedGraph<GraphParts> {
  public:
    using RecordedGraph::RecordedGraph;

    /// Shows the recorded calls to a visitor, in their order; `answer` is the visitor's.
    Status visit(const VisitDescription& description, ze_result_t& answer) const;
};

using FormerGraphs = FormerGraph<GraphParts>;

}  // namespace zetl::emulator::driver
