// A way of reading built-in variables that makes older compilers crash.
#pragma once

#include "binary/kernel_image.h"

namespace zetl::binary {

/// Newer front ends read one element of a built-in vector (the global id's x, say) through a pointer to that element.
/// Compiler 22.43 assumes that built-in variables are read whole, and ends in a segmentation fault. Returns the same
/// module with such reads replaced by a read of the vector from which the element is taken. `module` is in host byte
/// order, and its instructions are known to fill it (specialize).
Bytes withBuiltinsReadWhole(Bytes module);

}  // namespace zetl::binary
