// Basic blocks of SASS, and the ways between them.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "instrumentation/parts/section.h"
#include "isa/sass/instruction.h"

namespace zetl::instrumentation::sass {

using namespace isa::sass;

/// A block ends where lanes branch, and wherever lanes that were apart may go on together. So instructions that run
/// once in a block run once for each group of lanes that reaches it.
struct FlowGraph {
    /// Code with more blocks, which no compiler makes, gets an obstacle.
    static constexpr std::size_t kMaxBlocks = 1 << 13;

    std::vector<Block> blocks;  ///< in ascending order; every instruction is in one
    /// Offsets of instructions that run on lanes gathered from several ways, up to the one that scatters them: these
    /// instructions do not move.
    std::set<std::uint32_t> gathered;
    std::string obstacle;  ///< not empty: it is not known where the code goes on
};

/// `entries`: offsets at which callers enter.
FlowGraph flowGraphOf(std::span<const Instruction> code, std::span<const std::uint32_t> entries,
                      const Generation& generation);

}  // namespace zetl::instrumentation::sass
