// What kernels cost on a device with a model, for people: the duration first, then what limits it.
#pragma once

#include <map>
#include <string>

#include "metrics/kernel_table.h"
#include "metrics/top_stall.h"

namespace zetl::command {

/// Lines of at most 80 characters, with one metric each. The kernel with the longest modelled time comes first; several
/// kernels begin with a table of all. Times of the model and of the host are never in the same line. `kernels.device`
/// must be there, and `kernels.table` must have a row.
std::string kernelReport(const KernelTable& kernels, const std::map<std::string, TopStall>& stalls);

/// One line per launch.
std::string launchReport(const KernelTable& kernels);

}  // namespace zetl::command
