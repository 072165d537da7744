#include "instrumentation/xe/liveness.h"

#include "instrumentation/xe/branch.h"
#include "instrumentation/xe/register_use.h"

namespace zetl::instrumentation {
namespace {

// Code that is not known may want any register but the accumulators and the address register, which no calling
// convention hands over.
constexpr ByteRange kFlags{place::kFlag, place::kFlagBytes* place::kFlags};

}  // namespace

Liveness::Liveness(const DecodedCode& code, const FlowGraph& graph) : code_(code), graph_(graph) {
    const auto& blocks = graph.blocks();
    if (blocks.size() > FlowGraph::kMaxBlocks) return;
    into_.resize(blocks.size());
    outOf_.resize(blocks.size());
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t i = static_cast<std::uint32_t>(blocks.size()); i-- > 0;) {
            RegisterSet live;
            if (blocks[i].leaves) {
                live.add({place::kGeneral, place::kGeneralBytes});
                live.add(kFlags);
            }
            for (const std::uint32_t successor : blocks[i].successors) live |= into_[successor];
            outOf_[i] = live;
            live = across(blocks[i], blocks[i].first, live);
            changed |= live != into_[i];
            into_[i] = live;
        }
    }
}

/// From behind the block back to before the instruction `from`.
RegisterSet Liveness::across(const BasicBlock& block, std::uint32_t from, RegisterSet live) const {
    for (std::uint32_t i = block.end; i-- > from;) {
        const RegisterUse use = useOf(code_.instructions()[i]);
        const bool certain = use.coverage == Coverage::all || (use.coverage == Coverage::running && block.convergent);
        if (certain)
            for (const ByteRange range : use.writes) live.remove(range);
        for (const ByteRange range : use.reads) live.add(range);
    }
    return live;
}

RegisterSet Liveness::before(std::uint32_t instruction) const {
    if (into_.empty()) return RegisterSet::all();
    const std::uint32_t block = graph_.blockOf(instruction);
    return across(graph_.blocks()[block], instruction, outOf_[block]);
}

RegisterSet Liveness::untouched() const {
    RegisterSet touched;
    for (const BasicBlock& block : graph_.blocks())
        if (block.leaves) return {};
    for (const auto& instruction : code_.instructions()) {
        const RegisterUse use = useOf(instruction);
        for (const ByteRange range : use.reads) touched.add(range);
        for (const ByteRange range : use.touches) touched.add(range);
    }
    return ~touched;
}

}  // namespace zetl::instrumentation
