// Whether kernels can be debugged on NVIDIA's GPUs.
#pragma once

#include "doctor/finding.h"

namespace zetl::command {

/// Checks where cuda-gdb is, its version, and whether it may attach.
void checkCudaGdb(Findings& findings);

}  // namespace zetl::command
