// A patch-token module in the newer container, for those who read its debug image.
#pragma once

#include "emulator/module/placed_elf.h"

namespace zetl::emulator::module {

/// Code and data, the kernels' descriptions and instrumentation records, and the DWARF of those kernels whose debug
/// data can be read; the log names the others, with the section that is damaged. DWARF has the module's addresses
/// already.
UnplacedElf patchTokenImage(const LinkedModule& module);

}  // namespace zetl::emulator::module
