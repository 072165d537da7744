// Breakpoint bits in machine code, and the corresponding stops in lowered code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/isa/program.h"

namespace zetl::emulator::machine {

/// Lines [first, last).
struct LineSpan {
    isa::Line first = 0;
    isa::Line last = 0;
};

/// The lines that bytes [position, position + bytes) of the program's code touch.
LineSpan linesTouching(const isa::Program& program, std::uint64_t position, std::uint64_t bytes) noexcept;

/// Whether two images of the program's code differ, in those lines, in breakpoint bits only.
bool sameButBreakpoints(const isa::Program& program, const std::byte* before, const std::byte* after,
                        LineSpan lines) noexcept;

/// The line's breakpoint bit in an image of the program's code.
bool isMarked(const isa::Program& program, isa::Line line, const std::byte* code) noexcept;
void setMark(const isa::Program& program, isa::Line line, std::byte* code, bool on) noexcept;
/// Whether one of the lines has its breakpoint bit set.
bool anyMarked(const isa::Program& program, const std::byte* code, LineSpan lines) noexcept;

/// Sets or clears the stops of the lines according to the code's breakpoint bits; clears all if not armed.
void updateBreakpoints(isa::Program& program, const std::byte* code, LineSpan lines, bool armed);

}  // namespace zetl::emulator::machine
