#include "emulator/machine/code/code_breakpoints.h"

#include <algorithm>

#include "isa/xe/instruction.h"

namespace zetl::emulator::machine {
namespace {

/// Where an instruction's breakpoint bit is.
struct BreakpointBit {
    explicit BreakpointBit(const isa::Instruction& i) noexcept
        : byte(zetl::isa::xe::breakpointBit(i.bytes) / 8),
          mask(std::byte(1) << zetl::isa::xe::breakpointBit(i.bytes) % 8) {}
    std::size_t byte;
    std::byte mask;
};

bool same(const isa::Instruction& i, const std::byte* before, const std::byte* after) noexcept {
    const BreakpointBit bit(i);
    for (std::size_t b = 0; b < i.bytes; ++b) {
        const std::byte ignored = b == bit.byte ? bit.mask : std::byte(0);
        if (((before[b] ^ after[b]) & ~ignored) != std::byte(0)) return false;
    }
    return true;
}

/// The first line that begins behind the position.
isa::Line lineBehind(const isa::Program& program, std::uint64_t position) noexcept {
    isa::Line low = 0;
    isa::Line high = program.lineCount();
    while (low < high) {
        const isa::Line middle = low + (high - low) / 2;
        if (program.ipOf(middle) - program.base() <= position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

}  // namespace

bool isMarked(const isa::Program& program, isa::Line line, const std::byte* code) noexcept {
    const BreakpointBit bit(program.instruction(line));
    return (code[program.ipOf(line) - program.base() + bit.byte] & bit.mask) != std::byte(0);
}

void setMark(const isa::Program& program, isa::Line line, std::byte* code, bool on) noexcept {
    const BreakpointBit bit(program.instruction(line));
    std::byte& byte = code[program.ipOf(line) - program.base() + bit.byte];
    byte = on ? byte | bit.mask : byte & ~bit.mask;
}

LineSpan linesTouching(const isa::Program& program, std::uint64_t position, std::uint64_t bytes) noexcept {
    if (bytes == 0) return {};
    return {std::max(lineBehind(program, position), 1u) - 1, lineBehind(program, position + bytes - 1)};
}

bool sameButBreakpoints(const isa::Program& program, const std::byte* before, const std::byte* after,
                        LineSpan lines) noexcept {
    for (isa::Line line = lines.first; line < lines.last; ++line) {
        const std::uint32_t where = program.ipOf(line) - program.base();
        if (!same(program.instruction(line), before + where, after + where)) return false;
    }
    return true;
}

bool anyMarked(const isa::Program& program, const std::byte* code, LineSpan lines) noexcept {
    for (isa::Line line = lines.first; line < lines.last; ++line)
        if (isMarked(program, line, code)) return true;
    return false;
}

void updateBreakpoints(isa::Program& program, const std::byte* code, LineSpan lines, bool armed) {
    for (isa::Line line = lines.first; line < lines.last; ++line) {
        const bool wanted = armed && isMarked(program, line, code);
        if (wanted != program.hasBreakpoint(line)) program.setBreakpoint(line, wanted);
    }
}

}  // namespace zetl::emulator::machine
