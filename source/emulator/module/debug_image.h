// The ELF that debuggers get: the zebin as an executable with the load addresses of one linked module.
#pragma once

#include "binary/outcome.h"
#include "emulator/module/link.h"

namespace zetl::emulator::module {

/// A copy of the module's zebin of type ET_EXEC: code and data sections have their device addresses and a PT_LOAD
/// header each (strings an address only), symbols of such sections are absolute, and relocations of kinds 1 to 3 in
/// .debug_* sections are applied; notes that leave the device's families at 0 state them. A module without DWARF gives
/// the same file without it; a patch-token module gives its container unchanged. Errors: damaged.
binary::Outcome<binary::Bytes> makeDebugImage(const LinkedModule& module);

}  // namespace zetl::emulator::module
