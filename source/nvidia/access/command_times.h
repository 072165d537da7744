// The driver's answer to ZETL_COMMAND_TIMES_FUNCTION.
#pragma once

#include <ze_tools_layer/command_times.h>

namespace zetl::nvidia::access {

const zetl_command_times_t* commandTimes() noexcept;

}  // namespace zetl::nvidia::access
