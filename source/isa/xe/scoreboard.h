// The compiler's software scoreboard: what an instruction waits for, and what others can wait for. It has no effect on
// results, which are always computed in order; the timing model reads it.
#pragma once

#include <cstdint>

#include "isa/xe/instruction.h"

namespace zetl::isa::xe {

/// Pipes that finish in order, so that a distance names an instruction in them.
enum class InOrderPipe : std::uint8_t { real, integer, wide, math, scalar };
inline constexpr int kInOrderPipes = 5;

struct Scoreboard {
    /// The pipes in which the distance counts: `own` those of the instruction's own kind, `named` the one in `pipe`.
    enum class Distance : std::uint8_t { none, own, all, named };
    /// The purpose of the token: others wait for it, or this one waits until results were written or sources read.
    enum class Token : std::uint8_t { none, set, written, read };

    Distance in = Distance::none;
    InOrderPipe pipe = InOrderPipe::real;
    std::uint8_t distance = 0;  ///< 1 to 7: the last instruction of that pipe, the one before, ...
    Token token = Token::none;
    std::uint8_t number = 0;  ///< of the token, 0 to 31
};

/// The meaning of Instruction::scoreboard. Reserved encodings wait for nothing.
Scoreboard scoreboardOf(const Instruction& in) noexcept;

/// The in-order pipe that executes an arithmetic instruction.
InOrderPipe pipeOf(const Instruction& in) noexcept;

}  // namespace zetl::isa::xe
