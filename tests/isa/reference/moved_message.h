// Messages of Xe2, whose extended descriptor moves addresses: those of Xe-HPC with smaller addresses and an offset that
// makes up for it, so that they access the same memory. Only registers that hold addresses differ.
#pragma once

#include "assembler.h"
#include "reference/message.h"
#include "reference/surface_block.h"

namespace zetl::test::reference {

/// Changes a program and its code; the offset follows from the program's number. Some forms have none.
void move(MessageProgram& program, Code& code);
void move(SurfaceProgram& program, Code& code);

}  // namespace zetl::test::reference
