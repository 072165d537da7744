// Marks of code, to look up an instruction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "emulator/machine/control.h"

namespace zetl::emulator::machine {

/// Views ranges in ascending order.
class CodeMarks {
  public:
    explicit CodeMarks(std::span<const MarkedCode> code) noexcept : code_(code) {}

    std::uint32_t at(std::uint64_t ip) const noexcept {
        const auto after = std::ranges::upper_bound(code_, ip, {}, &MarkedCode::begin);
        return after == code_.begin() || ip >= (after - 1)->end ? 0 : (after - 1)->marks;
    }
    bool has(std::uint32_t mark) const noexcept {
        return std::ranges::any_of(code_, [&](const MarkedCode& each) { return (each.marks & mark) != 0; });
    }

  private:
    std::span<const MarkedCode> code_;
};

}  // namespace zetl::emulator::machine
