// Translates NVML's errors to Level Zero's codes.
#pragma once

#include "base/result.h"

namespace zetl::nvidia {

/// SUCCESS, or the code that corresponds to the error: UNSUPPORTED_FEATURE for what the device does not measure. A
/// failure is logged with the call and NVML's own description. `call` is the call's source text.
Status checkNvml(int error, const char* call) noexcept;

/// Calls a function of NVML by its name and checks the answer.
#define ZETL_NVML(call) ::zetl::nvidia::checkNvml(::zetl::nvidia::nvml().call, #call)

}  // namespace zetl::nvidia
