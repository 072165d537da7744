// What zetl diff compares: the memory that kernels could reach, at the end of each launch.
#pragma once

#include "emulator/module/payload.h"

namespace zetl::emulator::driver {

class KernelState;

/// A launch has ended on all of its tiles: writes what is now in its images and the allocations that its arguments
/// point to, and in those that pointers in these lead to, if ZETL_RESULTS names a directory. Thread-safe.
void tellResults(const KernelState& state, const module::Extent& groupCount, bool faulted) noexcept;

}  // namespace zetl::emulator::driver
