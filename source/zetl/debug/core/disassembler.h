// Instructions as text, by Intel's own disassembler if it is installed.
#pragma once

#include <string>

#include "core/instruction.h"

namespace zetl::debugger {

/// The instruction; its words, if libiga64 is missing or does not know it.
std::string textOf(const Instruction& instruction);

}  // namespace zetl::debugger
