// A form of vector code's loads that older compilers fail at.
#pragma once

#include "binary/kernel_image.h"

namespace zetl::binary {

/// Vector code of newer front ends calls loads that merge what they read into former values, also where those are
/// undefined. Compiler 22.43 makes instructions of no lanes of these calls, and refuses them ("VISA builder API call
/// failed"). The same module where loads that merge into nothing are calls of the plain loads. `module` is in host byte
/// order, and its instructions have been found to fill it (specialize). Newer compilers need not know the plain ones.
Bytes withPlainLoads(Bytes module);

}  // namespace zetl::binary
