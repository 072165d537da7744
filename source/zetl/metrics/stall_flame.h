// Sampled instructions as a flame graph over the source.
#pragma once

#include <string>
#include <vector>

#include "metrics/stall_profile.h"

namespace zetl::command {

/// Nested frames: all samples, kernels, source lines from the outermost caller to the innermost inlined function, and
/// what the threads wait for. A click or Enter enlarges a frame, and arrow keys move between frames. Bounded: frames of
/// less than a thousandth of the samples are joined.
std::string stallFlame(const StallProfile& profile, const std::vector<const StalledKernel*>& kernels, bool mangled);

}  // namespace zetl::command
