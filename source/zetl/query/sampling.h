// Samples the instructions of a process's kernels, for `zetl stalls`.
#pragma once

namespace zetl::queries {

/// Once, before the first call of the application. Files go into the directory (stalls_format.h). False if the layer
/// refused a tracer.
bool sample(void* layer, const char* directory);

}  // namespace zetl::queries
