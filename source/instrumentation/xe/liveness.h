// The registers whose values are still needed.
#pragma once

#include <vector>

#include "instrumentation/xe/decoded_code.h"
#include "instrumentation/xe/flow_graph.h"
#include "instrumentation/xe/register_set.h"

namespace zetl::instrumentation {

/// A register is live if some way leads to a read of it without a write that is sure to come first. Registers that are
/// not live may be overwritten. Immutable; `code` and `graph` must outlive it.
class Liveness {
  public:
    Liveness(const DecodedCode& code, const FlowGraph& graph);

    /// The registers that are live before the instruction with this index.
    RegisterSet before(std::uint32_t instruction) const;

    /// The registers that no instruction reads or may write: they are free everywhere.
    RegisterSet untouched() const;

  private:
    const DecodedCode& code_;
    const FlowGraph& graph_;
    /// by block; none in code of too many
    std::vector<RegisterSet> into_;
    std::vector<RegisterSet> outOf_;

    RegisterSet across(const BasicBlock& block, std::uint32_t from, RegisterSet live) const;
};

}  // namespace zetl::instrumentation
