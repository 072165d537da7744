// Instructions of SPIR-V 1.4 that older compilers do not know.
#pragma once

#include "binary/kernel_image.h"

namespace zetl::binary {

/// Compiler 22.43 refuses OpPtrEqual, OpPtrNotEqual and OpPtrDiff. The same module where pointers are converted to
/// integers, and those are compared or subtracted, as front ends write it for older versions. A difference of pointers
/// to something of which the size is not known stays. `module` is in host byte order, and its instructions have been
/// found to fill it (specialize).
Bytes withPointersAsIntegers(Bytes module);

}  // namespace zetl::binary
