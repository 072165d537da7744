// Which instructions may have written a register's bytes when execution comes to an address: Intel's code only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "instrumentation/xe/decoded_code.h"
#include "instrumentation/xe/flow_graph.h"
#include "instrumentation/xe/register_use.h"

namespace zetl::debugger {

/// The code of one kernel and its subroutines. Offsets and instructions' numbers count from its beginning.
class CodeFlow {
  public:
    CodeFlow(const isa::xe::Architecture& architecture, std::span<const std::uint8_t> bytes);

    /// False if it jumps to places that only registers know, so that nothing can be said.
    bool isKnown() const noexcept { return graph_.obstacle().empty() && !code_.instructions().empty(); }

    const isa::xe::Instruction& instruction(std::uint32_t number) const { return code_.instructions()[number]; }
    std::optional<std::uint32_t> numberAt(std::uint64_t offset) const { return code_.at(offset); }

    bool reads(std::uint32_t number, instrumentation::ByteRange bytes) const;
    /// Or may write them.
    bool writes(std::uint32_t number, instrumentation::ByteRange bytes) const;
    /// Of these offsets; ascending.
    std::vector<std::uint32_t> writersIn(std::uint64_t begin, std::uint64_t end,
                                         instrumentation::ByteRange bytes) const;
    /// The instructions that wrote the bytes last on some way to this one; ascending. None: nothing wrote them.
    std::vector<std::uint32_t> lastWriters(std::uint32_t number, instrumentation::ByteRange bytes) const;
    /// Whether one of the chosen instructions has a result: a register's new value.
    template <class F>
    bool anyComputes(F&& isChosen) const {
        for (std::uint32_t i = 0; i < code_.instructions().size(); ++i) {
            const auto& to = code_.instructions()[i].destination;
            if ((to.isGrf() || to.isAccumulator()) && isChosen(i)) return true;
        }
        return false;
    }
    bool areInOneBlock(std::uint32_t first, std::uint32_t second) const {
        return second < code_.instructions().size() && graph_.blockOf(first) == graph_.blockOf(second);
    }

  private:
    /// On every way, in the lanes that execute it.
    bool surelyWrites(std::uint32_t number, instrumentation::ByteRange bytes) const;
    /// By a function that it calls, and by those that this one calls.
    void addCalled(std::uint32_t call, instrumentation::ByteRange bytes, std::vector<bool>& seen,
                   std::vector<std::uint32_t>& writers) const;
    void connect();

    const instrumentation::DecodedCode code_;
    const instrumentation::FlowGraph graph_;
    std::vector<instrumentation::RegisterUse> uses_;
    std::vector<std::vector<std::uint32_t>> before_;  ///< by block: those that lead to it; calls lead behind themselves
};

}  // namespace zetl::debugger
