#include "instrumentation/xe/flow_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "instrumentation/xe/branch.h"

namespace zetl::instrumentation {
namespace {

/// Lanes that wait at `at` have arrived. Only these instructions wake them, and those behind a loop or a call.
void arrive(std::set<std::uint32_t>& waiting, std::uint32_t at) { waiting.erase(at); }

constexpr std::uint32_t kUnknownPlace = ~0u;
/// Places at which lanes wait, over all blocks; with more no block counts as convergent.
constexpr std::size_t kMaxWaits = 1 << 20;

}  // namespace

FlowGraph::FlowGraph(const DecodedCode& code, const Entries& entries) {
    cut(code, entries);
    if (blocks_.size() > kMaxBlocks) {
        obstacle_ = fmt::format("the code has {} blocks, the limit is {}", blocks_.size(), kMaxBlocks);
        for (BasicBlock& block : blocks_) block.leaves = true;
        return;
    }
    connect(code, entries);
    converge(code, entries);
}

void FlowGraph::cut(const DecodedCode& code, const Entries& entries) {
    std::set<std::uint32_t> starts;
    const auto leads = [&](std::uint32_t offset, std::uint32_t from) {
        if (const auto index = code.at(offset))
            starts.insert(*index);
        else if (offset != code.end() && obstacle_.empty())
            obstacle_ = fmt::format("the branch at {:#x} leads to {:#x}, where no instruction starts", from, offset);
    };
    const auto instructions = code.instructions();
    if (!instructions.empty()) starts.insert(0);
    for (const auto& list : {entries.kernel, entries.functions})
        for (const std::uint32_t offset : list) leads(offset, offset);
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
        if (!endsBlock(instructions[i])) continue;
        if (i + 1 < instructions.size()) starts.insert(i + 1);
        const Branch branch = branchOf(instructions[i]);
        for (const std::uint32_t target : branch.targets) leads(target, instructions[i].ip);
        for (const std::uint32_t place : branch.waits) leads(place, instructions[i].ip);
        if (branch.computed && obstacle_.empty())
            obstacle_ = fmt::format("the branch at {:#x} leads to an address in a register", instructions[i].ip);
    }
    for (const std::uint32_t start : starts) {
        if (!blocks_.empty()) blocks_.back().end = start;
        blocks_.push_back({.first = start, .end = static_cast<std::uint32_t>(instructions.size()), .successors = {}});
    }
}

std::uint32_t FlowGraph::blockOf(std::uint32_t instruction) const noexcept {
    const auto behind = std::ranges::upper_bound(blocks_, instruction, {}, &BasicBlock::first);
    return static_cast<std::uint32_t>(behind - blocks_.begin()) - 1;
}

std::vector<std::uint32_t> FlowGraph::blocksAt(const DecodedCode& code,
                                               const std::vector<std::uint32_t>& offsets) const {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t offset : offsets)
        if (const auto index = code.at(offset)) found.push_back(blockOf(*index));
    return found;
}

/// A return leads behind every call of the code: which function it belongs to is not asked. Where functions can be
/// called from outside it leaves as well.
void FlowGraph::connect(const DecodedCode& code, const Entries& entries) {
    const auto instructions = code.instructions();
    std::vector<std::uint32_t> behindCalls;
    for (const BasicBlock& block : blocks_) {
        const auto& last = instructions[block.end - 1];
        if (endsBlock(last) && branchOf(last).calls) behindCalls.push_back(last.ip + last.bytes);
    }
    for (BasicBlock& block : blocks_) {
        const auto& last = instructions[block.end - 1];
        const Branch branch = endsBlock(last) ? branchOf(last) : Branch();
        block.successors = blocksAt(code, branch.targets);
        block.leaves = branch.external || branch.computed;
        if (branch.external) block.successors = blocksAt(code, {last.ip + last.bytes});
        if (branch.returns) {
            block.successors = blocksAt(code, behindCalls);
            block.leaves = !entries.functions.empty();
        }
        if (!branch.fallsThrough) continue;
        for (const std::uint32_t next : blocksAt(code, {last.ip + last.bytes})) block.successors.push_back(next);
    }
}

/// Follows the places at which lanes wait along all ways: where none waits anywhere, all are on.
void FlowGraph::converge(const DecodedCode& code, const Entries& entries) {
    std::vector<std::set<std::uint32_t>> waiting(blocks_.size());
    std::vector<bool> reached(blocks_.size());
    std::vector<std::uint32_t> next = blocksAt(code, entries.kernel);
    for (const std::uint32_t block : blocksAt(code, entries.functions)) {
        waiting[block].insert(kUnknownPlace);
        next.push_back(block);
    }
    for (const std::uint32_t block : next) reached[block] = true;
    const auto stateBehind = [&](const BasicBlock& block, std::set<std::uint32_t> state) {
        const auto& first = code.instructions()[block.first];
        const auto& last = code.instructions()[block.end - 1];
        arrive(state, first.ip);
        if (endsBlock(last))
            for (const std::uint32_t place : branchOf(last).waits) state.insert(place);
        return state;
    };
    std::size_t waits = 0;
    while (!next.empty()) {
        if (waits > kMaxWaits) return;
        const BasicBlock& block = blocks_[next.back()];
        const auto behind = stateBehind(block, waiting[next.back()]);
        next.pop_back();
        for (const std::uint32_t successor : block.successors) {
            const std::size_t before = waiting[successor].size();
            waiting[successor].insert(behind.begin(), behind.end());
            waits += waiting[successor].size() - before;
            if (!reached[successor] || waiting[successor].size() != before) next.push_back(successor);
            reached[successor] = true;
        }
    }
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
        arrive(waiting[i], code.instructions()[blocks_[i].first].ip);
        blocks_[i].convergent = reached[i] && waiting[i].empty();
    }
}

}  // namespace zetl::instrumentation
