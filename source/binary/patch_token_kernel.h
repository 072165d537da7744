// Reads the token list of one kernel.
#pragma once

#include <string_view>

#include "binary/byte_view.h"
#include "binary/kernel_image.h"
#include "binary/outcome.h"

namespace zetl::binary {

/// All that the tokens contain. The caller fills in name and code section; `name` is for error messages. Ignores
/// unknown tokens.
Outcome<KernelImage> readPatchTokenKernel(std::string_view name, ByteView tokens);

}  // namespace zetl::binary
