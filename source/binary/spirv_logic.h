// An instruction that older compilers do not know.
#pragma once

#include "binary/kernel_image.h"

namespace zetl::binary {

/// Compiler 22.43 ends its process, without a word, at OpLogicalNot. The same module where that is a comparison with
/// false. `module` is in host byte order, and its instructions have been found to fill it (specialize).
Bytes withoutLogicalNot(Bytes module);

}  // namespace zetl::binary
