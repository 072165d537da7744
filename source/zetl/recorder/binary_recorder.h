// Writes the native binary of each module that the process creates, for `zetl kernels` and `zetl disasm`.
#pragma once

namespace zetl::recorder {

/// Call it once, before the application's first call. Writes DIRECTORY/<process>-<number>.bin, and reports a file that
/// cannot be written on standard error.
void recordBinaries(void* layer, const char* directory);

}  // namespace zetl::recorder
