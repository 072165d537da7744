#include "coverage/ways.h"

#include <algorithm>

#include "instrumentation/xe/branch.h"
#include "instrumentation/xe/decoded_code.h"
#include "instrumentation/xe/flow_graph.h"

namespace zetl::command {
namespace {

namespace xe = isa::xe;
using instrumentation::BasicBlock;
using instrumentation::DecodedCode;
using instrumentation::FlowGraph;

struct Way {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::optional<std::uint64_t> taken;
};

/// What the ways of a list add up to.
struct Balance {
    std::vector<std::size_t> ways;
    std::uint64_t sum = 0;
};

/// The ways between the blocks of a kernel.
class Flow {
  public:
    Flow(const FlowGraph& graph, const DecodedCode& code, bool launchable,
         const std::function<std::uint64_t(std::uint32_t)>& executed) {
        const auto& blocks = graph.blocks();
        std::vector<Balance> in(blocks.size());
        std::vector<Balance> out(blocks.size());
        for (std::uint32_t i = 0; i < blocks.size(); ++i) {
            in[i].sum = executed(code.instructions()[blocks[i].first].ip);
            out[i].sum = executed(code.instructions()[blocks[i].end - 1].ip);
        }
        for (std::uint32_t i = 0; i < blocks.size(); ++i) {
            std::vector<std::uint32_t> next = blocks[i].successors;
            std::ranges::sort(next);
            next.erase(std::unique(next.begin(), next.end()), next.end());
            for (const std::uint32_t to : next) {
                out[i].ways.push_back(ways_.size());
                in[to].ways.push_back(ways_.size());
                // Nobody goes where nobody was, or from there.
                const bool idle = out[i].sum == 0 || in[to].sum == 0;
                ways_.push_back({i, to, idle ? std::optional<std::uint64_t>(0) : std::nullopt});
            }
        }
        for (std::uint32_t i = 0; i < blocks.size(); ++i) {
            // Threads begin in the first block, and functions are entered from elsewhere.
            if (i > 0 || !launchable) balances_.push_back(in[i]);
            if (!blocks[i].leaves) balances_.push_back(out[i]);
        }
        if (!launchable) balances_.clear();
        while (solveSome()) {
        }
    }

    std::optional<std::uint64_t> taken(std::uint32_t from, std::uint32_t to) const {
        for (const Way& way : ways_)
            if (way.from == from && way.to == to) return way.taken;
        return std::nullopt;
    }

  private:
    std::vector<Way> ways_;
    std::vector<Balance> balances_;

    /// Balances with one unknown way give it. Returns whether there were some.
    bool solveSome() {
        bool solved = false;
        for (const Balance& balance : balances_) {
            std::uint64_t known = 0;
            Way* unknown = nullptr;
            std::size_t unknowns = 0;
            for (const std::size_t index : balance.ways) {
                if (ways_[index].taken) {
                    known += *ways_[index].taken;
                } else {
                    unknown = &ways_[index];
                    ++unknowns;
                }
            }
            if (unknowns != 1) continue;
            // A thread that a fault ended may be missing.
            unknown->taken = balance.sum - std::min(balance.sum, known);
            solved = true;
        }
        return solved;
    }
};

/// Where lanes only meet again, nothing in the source decides.
bool decides(const xe::Instruction& in) {
    return in.opcode != xe::Opcode::join && in.opcode != xe::Opcode::endif && in.opcode != xe::Opcode::branchElse &&
           !in.message.endOfThread;
}

}  // namespace

CodeWays waysIn(const xe::Architecture& architecture, std::span<const std::uint8_t> bytes, bool launchable,
                const std::function<std::uint64_t(std::uint32_t)>& executed) {
    const DecodedCode code(architecture, bytes);
    const FlowGraph graph(code, {.kernel = {0}, .functions = {}});
    CodeWays found;
    const auto& blocks = graph.blocks();
    if (blocks.empty()) return found;
    const xe::Instruction& end = code.instructions()[blocks.front().end - 1];
    found.firstBlockEnd = end.ip + end.bytes;
    if (!graph.obstacle().empty()) return found;
    const Flow flow(graph, code, launchable, executed);
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
        const xe::Instruction& last = code.instructions()[blocks[i].end - 1];
        if (!instrumentation::endsBlock(last) || !decides(last)) continue;
        const instrumentation::Branch branch = instrumentation::branchOf(last);
        if (!branch.fallsThrough || branch.calls || branch.returns || i + 1 == blocks.size()) continue;
        std::vector<std::uint32_t> ways{i + 1};
        for (const std::uint32_t target : branch.targets)
            if (const auto index = code.at(target);
                index && std::ranges::find(ways, graph.blockOf(*index)) == ways.end())
                ways.push_back(graph.blockOf(*index));
        if (ways.size() < 2) continue;
        Decision decision{.offset = last.ip, .reached = executed(last.ip) > 0, .taken = {}};
        for (const std::uint32_t to : ways)
            if (const auto taken = flow.taken(i, to)) decision.taken.push_back(*taken);
        if (decision.taken.size() == ways.size()) found.decisions.push_back(std::move(decision));
    }
    return found;
}

}  // namespace zetl::command
