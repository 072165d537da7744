// Basic blocks of SASS, and the ways between them.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "instrumentation/parts/section.h"
#include "instrumentation/sass/instruction.h"

namespace zetl::instrumentation::sass {

/// A block ends where lanes branch, and wherever lanes that were apart may go on together, so that what is executed
/// once in a block is executed once by each group of lanes that comes to it.
struct FlowGraph {
    /// Code of more blocks, which no compiler makes, has an obstacle.
    static constexpr std::size_t kMaxBlocks = 1 << 13;

    std::vector<Block> blocks;  ///< ascending; every instruction is in one
    /// Offsets of instructions that are executed by lanes gathered from several ways, up to the one that scatters them:
    /// they do not leave the place.
    std::set<std::uint32_t> gathered;
    std::string obstacle;  ///< not empty: where the code goes on is not known
};

/// `entries`: offsets at which callers come in.
FlowGraph flowGraphOf(std::span<const Instruction> code, std::span<const std::uint32_t> entries);

}  // namespace zetl::instrumentation::sass
