// The instruction set that the emulator executes: the names of isa/xe, as names of emulator::isa.
#pragma once

#include "isa/xe/data_type.h"
#include "isa/xe/instruction.h"

namespace zetl::emulator::isa {

using namespace zetl::isa::xe;

// One by one where a using-directive is not enough: lanes overload the functions (step_table.h), and zetl has a
// Condition of its own.
using zetl::isa::xe::byteSize;
using zetl::isa::xe::Condition;
using zetl::isa::xe::isReal;
using zetl::isa::xe::isWholeNumber;

}  // namespace zetl::emulator::isa
