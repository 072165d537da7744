// NVML, NVIDIA's library for monitoring, opened at run time.
#pragma once

#include <string>

#include "nvidia/nvml/types.h"

namespace zetl::nvidia {

struct NvmlApi {
#define FUNCTION(name, prototype) \
    using name##_t = prototype;   \
    name##_t* name;
#include "nvidia/nvml/functions.def"
#undef FUNCTION
};

/// Valid after openNvml() succeeded. Immutable from then on.
const NvmlApi& nvml() noexcept;

/// Opens and starts libnvidia-ml.so.1 once. Returns an empty text, or the reason why NVML is not available.
/// Thread-safe; later calls return the first answer.
const std::string& openNvml();

}  // namespace zetl::nvidia
