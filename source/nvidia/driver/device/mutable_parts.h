// The parts of a recorded command that may change (specification, extension "Mutable Command List").
#pragma once

#include "driver/mutability.h"

namespace zetl::nvidia {

/// Kernels of CUDA have no global offset.
inline constexpr ze_mutable_command_exp_flags_t kMutableParts =
    (driver::kMutableByDefault & ~ze_mutable_command_exp_flags_t{ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET}) |
    driver::kMutableKernel;

}  // namespace zetl::nvidia
