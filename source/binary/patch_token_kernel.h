// The token list of one kernel.
#pragma once

#include "binary/byte_view.h"
#include "binary/kernel_image.h"
#include "binary/outcome.h"

namespace zetl::binary {

/// Everything the tokens say; name and code section are the caller's. Unknown tokens are ignored.
Outcome<KernelImage> readPatchTokenKernel(ByteView tokens);

}  // namespace zetl::binary
