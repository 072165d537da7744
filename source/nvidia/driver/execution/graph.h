// ze_graph_handle_t (core specification, "Record and Replay Graph").
#pragma once

#include "driver/recorded_graph.h"
#include "nvidia/driver/execution/executable_graph.h"
#include "nvidia/driver/execution/graph_parts.h"
#include "nvidia/driver/shared_parts.h"

namespace zetl::nvidia {

class Graph : public RecordedGraph<GraphParts> {
  public:
    using RecordedGraph::RecordedGraph;
};

using FormerGraphs = FormerGraph<GraphParts>;

}  // namespace zetl::nvidia
