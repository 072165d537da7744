// The lines that a launch can reach, and where its blocks begin.
#pragma once

#include <vector>

#include "emulator/isa/code.h"

namespace zetl::emulator::translate {

struct Survey {
    isa::Line entry = 0;
    std::vector<isa::Line> lines;  ///< reached from the entry, ascending
    std::vector<bool> reached;     ///< by line, one more entry than lines, for the end of the code
    std::vector<bool> leads;       ///< by line: a block begins here
};

/// Whether lines behind it are reached by going on.
bool goesOn(const isa::Instruction& in);

/// Threads go on where a register says, or lanes that were off are on.
bool goesAnywhere(const isa::Instruction& in);

/// Follows every branch whose target is in the instruction; code behind other branches is not reached.
Survey surveyFrom(const isa::Program::Code& code, isa::Line entry);

}  // namespace zetl::emulator::translate
