// A recorded graph as a text for Graphviz.
#pragma once

#include <string>

#include "emulator/driver/execution/graph_record.h"

namespace zetl::emulator::driver {

struct GraphDumpStyle {
    bool detailed = false;    ///< commands with what they do
    bool eventNodes = false;  ///< events as nodes between the command that signals and those that wait
};

/// One box per command, joined in the order of recording; one cluster per list that forked; edges for forks and joins,
/// red for a fork that nothing joins.
std::string graphText(const GraphRecord& record, const GraphDumpStyle& style);

}  // namespace zetl::emulator::driver
