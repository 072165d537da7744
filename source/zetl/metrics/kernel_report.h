// What kernels cost, for people: the duration first, then what limits it.
#pragma once

#include <map>
#include <string>

#include "metrics/kernel_table.h"
#include "metrics/top_stall.h"

namespace zetl::command {

/// Whether it was measured how near the kernels are to what the device can do.
bool isReportable(const KernelTable& kernels);

/// Lines of at most 80 characters, with one metric each. The kernel with the longest modelled time comes first; several
/// kernels begin with a table of all. Times of the model and of the host are never in the same line. On a device
/// without a model, cycles take the place of times. `kernels.table` must have a row, and isReportable(kernels) be true.
std::string kernelReport(const KernelTable& kernels, const std::map<std::string, TopStall>& stalls);

/// One line per launch.
std::string launchReport(const KernelTable& kernels);

}  // namespace zetl::command
