// Writes the native binary of each module that the process makes, for `zetl kernels` and `zetl disasm`.
#pragma once

namespace zetl::recorder {

/// Once, before the first call of the application. Files are DIRECTORY/<process>-<number>.bin; one that cannot be
/// written is a line on standard error.
void recordBinaries(void* layer, const char* directory);

}  // namespace zetl::recorder
