// The ELF file for debuggers: the native binary as an executable with the load addresses of one linked module.
#pragma once

#include "binary/outcome.h"
#include "emulator/module/link.h"

namespace zetl::emulator::module {

/// A zebin is changed by place() (placed_elf.h). A module without DWARF gives the same file without it. A patch-token
/// module is first written as zebin (patch_token_image.h). Errors: damaged.
binary::Outcome<binary::Bytes> makeDebugImage(const LinkedModule& module);

}  // namespace zetl::emulator::module
