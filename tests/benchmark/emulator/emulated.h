// The emulated machine as an implementation to measure.
#pragma once

#include <memory>

#include "workload.h"

namespace zetl::benchmark::emulator {

/// Launches through the machine itself, compiled by Intel's compiler; `workers` host threads.
/// `collecting`: with the timing model.
std::unique_ptr<Implementation> makeEmulated(std::uint32_t workers, bool collecting = false);

}  // namespace zetl::benchmark::emulator
