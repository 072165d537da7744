// What checks kernels on NVIDIA GPUs: NVIDIA's own compute-sanitizer.
#pragma once

#include <string>
#include <vector>

#include "check/kinds.h"

namespace zetl::command {

/// Whether the environment brings the driver for NVIDIA GPUs into programs.
bool hasNvidiaDriver();

/// Lines that say that only the emulated GPU is checked, and the commands that look for such mistakes on an NVIDIA GPU.
std::string cudaChecksText(const std::vector<std::string>& program, const check::Groups& groups);

}  // namespace zetl::command
