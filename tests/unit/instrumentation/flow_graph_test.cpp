// Basic blocks, the ways between them, and where all lanes are on.
#include "instrumentation/xe/flow_graph.h"

#include <gtest/gtest.h>

#include "assembled.h"

namespace zetl::instrumentation {
namespace {

using Ways = std::vector<std::vector<std::uint32_t>>;

Ways waysOf(const FlowGraph& graph) {
    Ways ways;
    for (const BasicBlock& block : graph.blocks()) ways.push_back(block.successors);
    return ways;
}
std::vector<bool> convergent(const FlowGraph& graph) {
    std::vector<bool> all;
    for (const BasicBlock& block : graph.blocks()) all.push_back(block.convergent);
    return all;
}
const Entries kKernel{.kernel = {0}, .functions = {}};

TEST(FlowGraph, StraightCodeIsOneBlock) {
    const DecodedCode code(isa::xe::kXeHpc, sequence({scalar(1, 2), end(), MachineCode(64)}));
    const FlowGraph graph(code, kKernel);
    EXPECT_EQ(code.end(), 32u) << "padding is no code";
    EXPECT_EQ(waysOf(graph), Ways{{}});
    EXPECT_EQ(convergent(graph), std::vector{true});
}

TEST(FlowGraph, LanesThatWaitMakeCodeDivergent) {
    // 0: goto, 1: taken by some, 2: join, 3: end
    const DecodedCode code(isa::xe::kXeHpc, sequence({goTo(2, 2), scalar(1, 2), join(1), end()}));
    const FlowGraph graph(code, kKernel);
    EXPECT_EQ(waysOf(graph), (Ways{{2, 1}, {2}, {3, 3}, {}}));
    EXPECT_EQ(convergent(graph), (std::vector{true, false, true, true}));
}

TEST(FlowGraph, UniformJumpsKeepLanesTogether) {
    const DecodedCode code(isa::xe::kXeHpc, sequence({scalar(1, 2), jump(-1, true), end()}));
    const FlowGraph graph(code, kKernel);
    EXPECT_EQ(waysOf(graph), (Ways{{0, 1}, {}}));
    EXPECT_EQ(convergent(graph), (std::vector{true, true}));
}

TEST(FlowGraph, WhatIsCalledFromElsewhereStartsDivergent) {
    const DecodedCode code(isa::xe::kXeHpc, sequence({scalar(1, 2), end(), scalar(3, 4), end()}));
    const FlowGraph graph(code, {.kernel = {0}, .functions = {32}});
    EXPECT_EQ(convergent(graph), (std::vector{true, false}));
}

TEST(FlowGraph, BranchIntoAnInstructionIsAnObstacle) {
    auto inside = jump(1);
    inside[12] = 8;
    EXPECT_NE(FlowGraph(DecodedCode(isa::xe::kXeHpc, sequence({inside, scalar(1, 2), end()})), kKernel).obstacle(), "");
    EXPECT_EQ(FlowGraph(DecodedCode(isa::xe::kXeHpc, sequence({jump(1), end()})), kKernel).obstacle(), "");
    EXPECT_NE(FlowGraph(DecodedCode(isa::xe::kXeHpc, sequence({jump(100), end()})), kKernel).obstacle(), "");
}

TEST(FlowGraph, NoCodeHasNoBlocks) {
    EXPECT_TRUE(FlowGraph(DecodedCode(isa::xe::kXeHpc, MachineCode(64)), kKernel).blocks().empty());
    EXPECT_TRUE(FlowGraph(DecodedCode(isa::xe::kXeHpc, {}), kKernel).blocks().empty());
}

}  // namespace
}  // namespace zetl::instrumentation
