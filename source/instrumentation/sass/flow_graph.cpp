#include "instrumentation/sass/flow_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace zetl::instrumentation::sass {
namespace {

class Builder {
  public:
    Builder(std::span<const Instruction> code, const Generation& generation) : code_(code), generation_(generation) {}

    FlowGraph build(std::span<const std::uint32_t> entries) {
        if (code_.empty()) return {};
        leaders_ = {0};
        for (const std::uint32_t entry : entries)
            if (entry < end()) leaders_.insert(entry / kInstructionBytes * kInstructionBytes);
        for (std::uint32_t i = 0; i < code_.size() && graph_.obstacle.empty(); ++i) look(i);
        cut();
        if (graph_.blocks.size() > FlowGraph::kMaxBlocks) graph_.obstacle = "the code has too many blocks";
        if (graph_.obstacle.empty())
            for (Block& block : graph_.blocks) connect(block);
        return std::move(graph_);
    }

  private:
    std::span<const Instruction> code_;
    const Generation& generation_;
    FlowGraph graph_;
    std::set<std::uint32_t> leaders_;
    std::set<std::uint32_t> reconvergence_;  ///< where waiting lanes go on
    std::set<std::uint32_t> scattered_;      ///< where gathered lanes go on
    bool gathering_ = false;

    std::uint32_t end() const noexcept { return static_cast<std::uint32_t>(code_.size()) * kInstructionBytes; }

    /// Of an instruction whose displacement leads to code of this section.
    std::optional<std::uint32_t> targetOf(std::uint32_t index) const {
        const auto displacement = code_[index].displacement(generation_);
        if (!displacement) return std::nullopt;
        const std::int64_t target = (std::int64_t{index} + 1) * kInstructionBytes + *displacement;
        if (target < 0 || target >= end() || target % kInstructionBytes != 0) return std::nullopt;
        return static_cast<std::uint32_t>(target);
    }

    void look(std::uint32_t index) {
        const Instruction& in = code_[index];
        const auto target = targetOf(index);
        const Flow flow = in.flow();
        if (flow == Flow::unknown || (flow == Flow::gathers && !generation_.gathersLanes))
            return refuse(index, "steers the program in a way that is not known");
        gathering_ = gathering_ || flow == Flow::gathers;
        if (gathering_) graph_.gathered.insert(index * kInstructionBytes);
        if (flow == Flow::scatters) gathering_ = false;
        if (flow != Flow::straight) leaders_.insert((index + 1) * kInstructionBytes);
        const bool setsBarrier = in.opcode() == Opcode::convergenceSet;
        if (!setsBarrier && flow != Flow::branches && flow != Flow::gathers) return;
        if (!target) return refuse(index, "leads out of the section");
        leaders_.insert(*target);
        if (setsBarrier) reconvergence_.insert(*target);
        if (flow == Flow::gathers) scattered_.insert(*target);
    }

    void refuse(std::uint32_t index, const char* what) {
        graph_.obstacle = fmt::format("the instruction at {:#x} ({:#018x} {:#018x}) {}", index * kInstructionBytes,
                                      code_[index].low, code_[index].high, what);
    }

    void cut() {
        for (auto leader = leaders_.begin(); leader != leaders_.end() && *leader < end(); ++leader) {
            const auto next = std::next(leader);
            graph_.blocks.push_back({*leader, next == leaders_.end() ? end() : std::min(*next, end()), {}, false});
        }
    }

    std::uint32_t blockAt(std::uint32_t offset) const {
        const auto found = std::ranges::lower_bound(graph_.blocks, offset, {}, &Block::begin);
        return static_cast<std::uint32_t>(found - graph_.blocks.begin());
    }

    void connect(Block& block) const {
        const std::uint32_t last = block.end / kInstructionBytes - 1;
        const Instruction& in = code_[last];
        std::set<std::uint32_t> next;
        const auto add = [&](const std::set<std::uint32_t>& offsets) { next.insert(offsets.begin(), offsets.end()); };
        bool goesOn = !in.always();
        switch (in.flow()) {
            case Flow::branches:
                next.insert(*targetOf(last));
                break;
            case Flow::gathers:
                next.insert(*targetOf(last));
                goesOn = true;
                break;
            case Flow::reconverges:
                add(reconvergence_);
                break;
            case Flow::scatters:
                add(scattered_);
                break;
            case Flow::leaves:
                block.leaves = true;
                break;
            case Flow::calls:
                block.leaves = true;
                [[fallthrough]];
            default:
                goesOn = true;
        }
        if (goesOn && block.end < end()) next.insert(block.end);
        if (goesOn && block.end >= end()) block.leaves = true;
        for (const std::uint32_t offset : next) block.successors.push_back(blockAt(offset));
    }
};

}  // namespace

FlowGraph flowGraphOf(std::span<const Instruction> code, std::span<const std::uint32_t> entries,
                      const Generation& generation) {
    return Builder(code, generation).build(entries);
}

}  // namespace zetl::instrumentation::sass
