// Where the threads of a group meet: they should all meet at one barrier, with all their work-items.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/isa/program.h"

namespace zetl::emulator::check {

/// One phase of a group's barrier: from the first thread that signals to the last one.
class BarrierPhase {
  public:
    enum class Problem : std::uint8_t { none, divergent, different };

    /// A thread signals at the line with these of its lanes. `different`: other work-items of the phase, of another
    /// thread or those that this thread left out before, have signalled elsewhere, at other().
    Problem arrive(std::uint32_t thread, isa::Line line, std::uint32_t lanes, std::uint32_t dispatched) noexcept;
    isa::Line other() const noexcept { return other_; }
    /// All threads have signalled.
    void next() noexcept { first_ = isa::kNoLine; }

  private:
    struct Part {
        isa::Line line = isa::kNoLine;
        std::uint32_t lanes = 0;
    };
    isa::Line first_ = isa::kNoLine;
    isa::Line other_ = isa::kNoLine;
    std::array<Part, 64> parts_{};  // by thread: where a part of its lanes signalled last
};

}  // namespace zetl::emulator::check
