// Random structured programs: branches, loops, breaks, calls, one in the other, around whole-number arithmetic in which
// every lane is by itself. A program is its number.
#pragma once

#include <string>

#include "reference/random_program.h"

namespace zetl::test::reference {

struct FlowProgram {
    std::uint64_t number = 0;
    unsigned width = 16;
    std::uint32_t lanes = 0;
    std::string text;  ///< assembly with labels, the end of the thread included
    std::size_t instructions = 0;
};
FlowProgram flowProgram(std::uint64_t number);

/// Registers in which calls keep where they return, one for each function, and the only flag that all lanes share.
inline constexpr unsigned kReturnRegister = 100;
inline constexpr unsigned kFunctions = 2;
inline constexpr unsigned kSharedFlag = 1;

/// Executes a program from its first instruction to its end with one lane alone, which goes where its branches send it.
/// False if it does not end.
bool runLane(const std::vector<isa::Instruction>& program, State& state, unsigned lane);

}  // namespace zetl::test::reference
