// Pieces of the programs that devices evaluate at breakpoints (isa/xe/condition.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/xe/condition.h"

namespace zetl::debugger {

/// Steps that leave one value.
class Code {
  public:
    using Operation = isa::xe::ConditionOperation;

    static Code number(std::uint64_t value);
    static Code lane();
    static Code base(std::uint64_t number);
    /// Of general registers, counted from the first bit of r0.
    static Code registerBits(const Code& firstBit, std::uint32_t bits);
    static Code registerBits(std::uint64_t firstBit, std::uint32_t bits) {
        return registerBits(number(firstBit), bits);
    }
    static Code memory(const Code& address, std::uint32_t bytes);
    static Code local(const Code& offset, std::uint32_t bytes);

    Code then(Operation operation, std::uint32_t bits = 0, std::uint64_t value = 0) const;
    Code with(Operation operation, const Code& right) const;
    Code plus(const Code& right) const { return with(Operation::add, right); }
    Code plus(std::uint64_t right) const;
    Code times(std::uint64_t right) const { return with(Operation::multiply, number(right)); }

    /// The value, if it is the same everywhere.
    std::optional<std::uint64_t> constant() const;
    const std::vector<isa::xe::ConditionStep>& steps() const noexcept { return steps_; }

  private:
    Code folded() const;

    std::vector<isa::xe::ConditionStep> steps_;
};

}  // namespace zetl::debugger
