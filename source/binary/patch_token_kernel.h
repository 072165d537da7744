// The token list of one kernel.
#pragma once

#include <string_view>

#include "binary/byte_view.h"
#include "binary/kernel_image.h"
#include "binary/outcome.h"

namespace zetl::binary {

/// Everything the tokens say; name and code section are the caller's to fill in, the name is for errors. Unknown tokens
/// are ignored.
Outcome<KernelImage> readPatchTokenKernel(std::string_view name, ByteView tokens);

}  // namespace zetl::binary
