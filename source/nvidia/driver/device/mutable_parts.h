// The parts of a recorded command that may change (specification, extension "Mutable Command List").
#pragma once

#include "driver/mutability.h"

namespace zetl::nvidia {

inline constexpr ze_mutable_command_exp_flags_t kMutableParts = driver::kMutableByDefault | driver::kMutableKernel;

}  // namespace zetl::nvidia
