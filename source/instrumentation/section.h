// One code section, taken apart.
#pragma once

#include <ze_tools_layer/instrumentation.h>

#include <cstdint>
#include <string>
#include <vector>

#include "binary/module_image.h"
#include "instrumentation/code_edit.h"
#include "instrumentation/flow_graph.h"
#include "instrumentation/liveness.h"

namespace zetl::instrumentation {

/// Built in its place, since its parts refer to each other.
struct Section::Content {
    /// `module` must outlive it.
    Content(const binary::ModuleImage& module, std::uint32_t index);
    Content(const Content&) = delete;
    Content& operator=(const Content&) = delete;

    const binary::CodeSection& section;
    std::uint32_t simdWidth = 0;
    std::uint32_t registerCount = 128;
    bool isKernel = false;
    Entries entries;
    DecodedCode code;
    FlowGraph graph;
    Liveness liveness;
    CodeEdit edit;
    std::vector<Block> blocks;
    std::string obstacle;
    bool changed = false;
};

/// Why no section of the module's container can be changed; empty if it can.
std::string obstacleOf(const binary::ModuleImage& module);

/// Where threads and calls from elsewhere enter a section of code.
Entries entriesOf(const binary::ModuleImage& module, std::uint32_t section);

}  // namespace zetl::instrumentation
