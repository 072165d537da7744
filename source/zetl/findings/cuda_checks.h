// What checks kernels on NVIDIA GPUs: NVIDIA's own compute-sanitizer.
#pragma once

#include <string>
#include <vector>

#include "check/kinds.h"

namespace zetl::command {

/// The driver for NVIDIA GPUs that the environment brings into programs; empty if there is none.
std::string nvidiaDriver();

/// Lines that say that only the emulated GPU is checked, and the commands that look for such mistakes on a GPU of that
/// driver.
std::string cudaChecksText(const std::string& driver, const std::vector<std::string>& program,
                           const check::Groups& groups);

}  // namespace zetl::command
