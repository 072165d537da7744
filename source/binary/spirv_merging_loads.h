// A form of loads in vector code that makes older compilers fail.
#pragma once

#include "binary/kernel_image.h"

namespace zetl::binary {

/// Vector code of newer front ends calls loads that merge the data into former values, even if those are undefined.
/// Compiler 22.43 compiles these calls to instructions without lanes, and then refuses them ("VISA builder API call
/// failed"). Returns the same module with loads that merge into nothing replaced by the plain loads. `module` is in
/// host byte order, and its instructions are known to fill it (specialize). Newer compilers need not know the plain
/// loads.
Bytes withPlainLoads(Bytes module);

}  // namespace zetl::binary
