// Passes what the driver reports about its queues, modules and launches on to the modules' table, targets and rewriter.
#pragma once

#include <ze_tools_layer/device_access.h>

namespace zetl::emulator::access {

/// Becomes the driver's tool observer. Call it once per process.
void followDriver();

/// Sets the function that sees native binaries before they are loaded; null removes it. After this has returned, the
/// former function is not called any more.
void setRewriter(zetl_rewriter_t rewriter, void* user);

}  // namespace zetl::emulator::access
