// The token list of one kernel.
#pragma once

#include "emulator/module/byte_view.h"
#include "emulator/module/kernel_image.h"
#include "emulator/module/outcome.h"

namespace zetl::emulator::module {

/// Everything the tokens say; name and code section are the caller's. Unknown tokens are ignored.
Outcome<KernelImage> readPatchTokenKernel(ByteView tokens);

}  // namespace zetl::emulator::module
