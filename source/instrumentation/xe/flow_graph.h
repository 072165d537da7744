// Basic blocks of machine code, and the ways between them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "instrumentation/xe/decoded_code.h"

namespace zetl::instrumentation {

/// Instructions that run one after the other: entered at the first, left behind the last.
struct BasicBlock {
    /// indices of instructions, [first, end)
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    std::vector<std::uint32_t> successors;
    /// It ends in code that is not known: a function of another section, or the caller of this one.
    bool leaves = false;
    /// On every way to the block, all lanes that the dispatch turned on are on.
    bool convergent = false;
};

/// Where threads may start, and which code may be called from outside.
struct Entries {
    std::vector<std::uint32_t> kernel;     ///< offsets at which a thread starts
    std::vector<std::uint32_t> functions;  ///< offsets that code of other sections may call
};

/// Immutable.
class FlowGraph {
  public:
    /// Code with more blocks, which no compiler makes, gets an obstacle, and no ways between its blocks are worked out.
    static constexpr std::size_t kMaxBlocks = 1 << 13;

    FlowGraph(const DecodedCode& code, const Entries& entries);

    /// Ascending by address; every instruction is in one.
    const std::vector<BasicBlock>& blocks() const noexcept { return blocks_; }
    /// The block that holds an instruction.
    std::uint32_t blockOf(std::uint32_t instruction) const noexcept;
    /// Not empty: the code cannot be changed, because it jumps to a place where no instruction starts, or to a computed
    /// address. Says where.
    const std::string& obstacle() const noexcept { return obstacle_; }

  private:
    std::vector<BasicBlock> blocks_;
    std::string obstacle_;

    void cut(const DecodedCode& code, const Entries& entries);
    void connect(const DecodedCode& code, const Entries& entries);
    void converge(const DecodedCode& code, const Entries& entries);
    std::vector<std::uint32_t> blocksAt(const DecodedCode& code, const std::vector<std::uint32_t>& offsets) const;
};

}  // namespace zetl::instrumentation
