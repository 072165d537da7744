// Samples by source line.
#pragma once

#include <string>
#include <vector>

#include "metrics/stall_profile.h"

namespace zetl::command {

/// A source line of a kernel, or its instructions without a line.
struct StalledLine {
    correlation::Place place;
    StallCounts samples;
};

/// Those of a kernel that have samples, the one with the most first.
std::vector<StalledLine> linesOf(const StalledKernel& kernel);
/// FILE:LINE, or "-" without a line.
std::string whereOf(const correlation::Place& place);

}  // namespace zetl::command
