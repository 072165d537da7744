// An instruction that older compilers lack.
#pragma once

#include "binary/kernel_image.h"

namespace zetl::binary {

/// Compiler 22.43 ends its process silently at OpLogicalNot. Returns the same module with comparisons with false in its
/// place. `module` is in host byte order, and its instructions are known to fill it (specialize).
Bytes withoutLogicalNot(Bytes module);

}  // namespace zetl::binary
