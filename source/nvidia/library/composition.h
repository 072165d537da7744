// The shared library of the driver for NVIDIA GPUs: the driver, its device access, and the tools modules on it.
#pragma once

namespace zetl::nvidia {

/// Puts the modules into the driver's tables and offers device access. Does so once; every getter calls it.
void compose() noexcept;

}  // namespace zetl::nvidia
