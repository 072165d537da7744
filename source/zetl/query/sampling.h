// Samples the instructions of a process's kernels, for `zetl stalls`.
#pragma once

namespace zetl::queries {

/// Call it once, before the application's first call. Writes files into the directory (stalls_format.h). False if the
/// layer refused a tracer.
bool sample(void* layer, const char* directory);

}  // namespace zetl::queries
