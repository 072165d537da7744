// A module of many kernels as several modules, which compilers can build side by side.
#pragma once

#include <vector>

#include "binary/kernel_image.h"

namespace zetl::binary {

/// Modules that each have some of the kernels, in their order, with the functions that these call. Empty if one build
/// is as fast, or if the kernels share more than code: variables, addresses of functions, debug data, or functions for
/// other modules. `module` is in host byte order, and its instructions are known to fill it (specialize).
std::vector<Bytes> partsOf(const Bytes& module);

}  // namespace zetl::binary
