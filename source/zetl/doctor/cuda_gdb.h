// Whether kernels can be debugged on NVIDIA's GPUs.
#pragma once

#include "doctor/finding.h"

namespace zetl::command {

/// Where cuda-gdb is found, which version it is, and what keeps it from attaching.
void checkCudaGdb(Findings& findings);

}  // namespace zetl::command
