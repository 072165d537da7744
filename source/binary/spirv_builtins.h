// A form of reading built-in variables that older compilers end at.
#pragma once

#include "binary/kernel_image.h"

namespace zetl::binary {

/// Newer front ends read one element of a built-in vector (the global id's x, say) through a pointer to that element.
/// Compiler 22.43 takes built-in variables to be read whole, and ends in a segmentation fault. The same module where
/// such a read is one of the vector, and the element is taken out of that. `module` is in host byte order, and its
/// instructions have been found to fill it (specialize).
Bytes withBuiltinsReadWhole(Bytes module);

}  // namespace zetl::binary
