// A patch-token module in the newer container, for readers of its debug image.
#pragma once

#include "emulator/module/placed_elf.h"

namespace zetl::emulator::module {

/// Code and data, the kernels' descriptions and instrumentation records, and the DWARF of those kernels whose debug
/// data can be read. The log names the other kernels, with the damaged section. The DWARF already has the module's
/// addresses.
UnplacedElf patchTokenImage(const LinkedModule& module);

}  // namespace zetl::emulator::module
