// Which instructions may have written a register's bytes when execution comes to an address: Intel's code only.
#pragma once

#include <algorithm>
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
    /// Whether one of these may be executed before this one is for the first time.
    bool comeBefore(const std::vector<std::uint32_t>& numbers, std::uint32_t number) const;
    /// Whether all lanes that the dispatch turned on are on there.
    bool isConvergent(std::uint32_t number) const { return graph_.blocks()[graph_.blockOf(number)].convergent; }
    /// Whether the second one may be executed after the first one; itself: in a loop.
    bool leads(std::uint32_t from, std::uint32_t to) const;
    /// Whether some instruction may read the bytes as this one wrote them, and also as another one did that is chosen:
    /// then both compute the same value.
    template <class F>
    bool meets(std::uint32_t number, instrumentation::ByteRange bytes, F&& isChosen) const {
        const auto isOther = [&](std::uint32_t each) {
            return each != number && surelyWrites(each, bytes) && isChosen(each);
        };
        for (std::uint32_t i = 0; i < code_.instructions().size() && mayReplace(number, bytes); ++i) {
            const auto writers = tellsApart(i, number, bytes) ? std::vector<std::uint32_t>() : lastWriters(i, bytes);
            const bool isRead = std::ranges::find(writers, number) != writers.end();
            if (isRead && std::ranges::any_of(writers, isOther)) return true;
        }
        return false;
    }
    /// Whether this instruction, or one that follows on some way, may read what the bytes hold in front of this one.
    bool isReadFrom(std::uint32_t number, instrumentation::ByteRange bytes) const;
    /// Whether one of the chosen instructions has a result: a register's new value.
    template <class F>
    bool anyComputes(F&& isChosen) const {
        for (std::uint32_t i = 0; i < code_.instructions().size(); ++i) {
            const auto& to = code_.instructions()[i].destination;
            if ((to.isGrf() || to.isAccumulator()) && isChosen(i)) return true;
        }
        return false;
    }
    /// Whether every way to this instruction leads through the first one of these offsets and then stays inside.
    bool isEnteredAtFirst(std::uint32_t number, std::uint64_t first, std::uint64_t end) const;
    bool areInOneBlock(std::uint32_t first, std::uint32_t second) const {
        return second < code_.instructions().size() && graph_.blockOf(first) == graph_.blockOf(second);
    }

  private:
    /// On every way, in the lanes that execute it.
    bool surelyWrites(std::uint32_t number, instrumentation::ByteRange bytes) const;
    /// All of them, in lanes that a predicate may select.
    bool mayReplace(std::uint32_t number, instrumentation::ByteRange bytes) const;
    /// It does not read the bytes, or, by a predicate, perhaps only those that the writer wrote by the same one.
    bool tellsApart(std::uint32_t reader, std::uint32_t writer, instrumentation::ByteRange bytes) const;
    /// By a function that it calls, and by those that this one calls.
    void addCalled(std::uint32_t call, instrumentation::ByteRange bytes, std::vector<bool>& seen,
                   std::vector<std::uint32_t>& writers) const;
    void connect();

    const instrumentation::DecodedCode code_;
    const instrumentation::FlowGraph graph_;
    std::vector<instrumentation::RegisterUse> uses_;
    // By block: those that lead to it, and those to which it leads. Calls lead behind themselves, too.
    std::vector<std::vector<std::uint32_t>> before_;
    std::vector<std::vector<std::uint32_t>> after_;
};

}  // namespace zetl::debugger
